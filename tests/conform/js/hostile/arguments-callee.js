// A sloppy callback asks who called it.
let found = 'nothing';
function sloppy() {
    try { if (typeof sloppy.caller === 'function') found = 'caller'; } catch {}
    try { if (typeof arguments.callee.caller === 'function') found = 'callee.caller'; } catch {}
}
setTimeout(sloppy, 1);
console.log({ get [Symbol.toStringTag]() { sloppy(); return 'T'; } });
new EventTarget().addEventListener('x', sloppy);
setTimeout(() => __return(found), 5);
