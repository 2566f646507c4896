// tests/conform/node/events.cjs -- emitters, abort signals, async context  (SPDX-License-Identifier: MIT)
const { EventEmitter, once, on } = require('events');
const { AsyncLocalStorage, AsyncResource, executionAsyncId } = require('async_hooks');
const e = new EventEmitter();
e.on('newListener', (name) => console.log('new', String(name)));
e.once('a', (...args) => console.log('once', args));
e.prependListener('a', () => console.log('first'));
console.log(e.emit('a', 1, 2), e.emit('a'), e.emit('none'), e.listenerCount('a'), e.eventNames());
try {
    e.emit('error', new Error('unheard'));
} catch (error) {
    console.log(error.message);
}
try {
    new EventEmitter().emit('error', { odd: 1 });
} catch (error) {
    console.log(error.code, error.message);
}
const target = new EventTarget();
target.addEventListener('x', (event) => console.log(event.type, event.detail), { once: true });
target.dispatchEvent(new CustomEvent('x', { detail: 5 }));
console.log(target.dispatchEvent(new Event('x')));
const storage = new AsyncLocalStorage();
(async () => {
    const controller = new AbortController();
    setTimeout(() => e.emit('ready', 'yes'), 1);
    console.log(await once(e, 'ready'));
    setTimeout(() => controller.abort(), 5);
    try {
        for await (const [value] of on(e, 'tick', { signal: controller.signal }))
            console.log(value);
    } catch (error) {
        console.log(error.name, error.code);
    }
    await storage.run({ id: 7 }, async () => {
        await new Promise(setImmediate);
        console.log(storage.getStore(), new AsyncResource('R').runInAsyncScope(() => storage.getStore().id));
    });
    console.log(storage.getStore(), typeof executionAsyncId());
    try {
        AbortSignal.abort().throwIfAborted();
    } catch (error) {
        console.log(error.name, error.message);
    }
})();
