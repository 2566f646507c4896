// The exact order of promise jobs.
const log = (x) => console.log(x);
log('1 sync');
setTimeout(() => log('12 timer'), 0);
Promise.resolve().then(() => log('3 then a')).then(() => log('6 then b'));
(async () => { log('2 async start'); await undefined; log('4 after await'); await new Promise((r) => r()); log('7 after second'); })();
Promise.reject(new Error('x')).catch(() => log('5 caught')).finally(() => log('8 finally'));
(async () => {
    await null;
    await (async () => { throw new RangeError('inner'); })().catch((e) => log('caught ' + e.name));
    const results = await Promise.allSettled([1, Promise.reject('no'), new Promise((r) => setTimeout(r, 5, 'late'))]);
    log(results);
    log(await Promise.all([1, Promise.resolve(2), { then(r) { r(3); } }]));
    log(await Promise.race([new Promise((r) => setTimeout(r, 50, 'slow')), new Promise((r) => setTimeout(r, 5, 'fast'))]));
    log(await Promise.any([Promise.reject(1), Promise.resolve('any')]));
    await Promise.any([Promise.reject(1), Promise.reject(2)]).catch((e) => log([e.constructor.name, e.errors]));
    try { await Promise.all([Promise.reject(new Error('all'))]); } catch (e) { log(e.message); }
    const thenable = { then(resolve) { log('thenable called'); resolve('t'); } };
    log(await thenable);
    const { promise, resolve } = (() => { let resolve; const promise = new Promise((r) => { resolve = r; }); return { promise, resolve }; })();
    setTimeout(resolve, 1, 'resolved later');
    log(await promise);
    const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
    const start = Date.now();
    await Promise.all([sleep(20), sleep(20), sleep(20)]);
    log(Date.now() - start < 60);
    async function f() { try { return await Promise.reject('r'); } catch (e) { return 'caught ' + e; } finally { log('fin'); } }
    log(await f());
    log(await new Promise((r) => r(new Promise((r2) => r2('nested')))));
    for (const p of [sleep(1), 2]) log(typeof await p);
})();
