// Stack hooks must not hand out the runtime's functions or files.
let seen = 'unused';
Error.prepareStackTrace = (error, sites) => { seen = sites.map((s) => s.getFunction && typeof s.getFunction()).join(); return 'hooked'; };
const stacks = [];
setTimeout(function inTimer() {
    stacks.push(new Error('t').stack);
    try { setTimeout(null); } catch (e) { stacks.push(e.stack); }
    try { console.log({ get [Symbol.toStringTag]() { stacks.push(new Error('g').stack); return 'x'; } }); } catch {}
    __return({ seen, leaked: stacks.join('\n').includes('glovebox:'), caller: inTimer.caller === null || inTimer.caller === undefined });
}, 1);
