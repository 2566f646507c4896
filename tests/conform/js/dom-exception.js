const e = new DOMException('msg', 'AbortError');
console.log(e.name, e.message, e.code, e instanceof Error, e instanceof DOMException, Object.prototype.toString.call(e), String(e));
console.log(new DOMException().name, new DOMException('x').message, DOMException.ABORT_ERR, new DOMException('x', 'Custom').code);
try { throw new DOMException('t', 'NotFoundError'); } catch (err) { console.log(err.code); }
