// Handled rejections and listener order; nothing here is uncaught.
process_();
async function process_() {
    const p = Promise.reject(new Error('late'));
    await null;
    await p.catch((e) => console.log('handled', e.message));
    const q = new Promise((_, reject) => setTimeout(reject, 1, new Error('timer reject')));
    await q.then(() => console.log('never'), (e) => console.log(e.message));
    try { await Promise.race([q, new Promise(() => {})]); } catch (e) { console.log('race', e.message); }
    queueMicrotask(() => console.log('micro'));
    try { queueMicrotask('x'); } catch (e) { console.log(e.name); }
    await 0;
    const ok = await Promise.reject('reason').catch((r) => r).then((r) => r + '!');
    console.log(ok);
    await Promise.reject(1).finally(() => console.log('finally')).catch(console.log);
    console.log(await new Promise((res) => { res('first'); throw new Error('ignored'); }));
}
