// TextEncoder, TextDecoder, atob, btoa, URI functions.
const enc = new TextEncoder(), dec = new TextDecoder();
console.log(enc.encode('héllo €😀'), enc.encoding, enc.encode().length);
console.log(dec.decode(enc.encode('héllo €😀')), dec.encoding, dec.fatal, dec.ignoreBOM);
console.log(enc.encodeInto('a€', new Uint8Array(3)), enc.encodeInto('€', new Uint8Array(2)));
console.log(enc.encode('\ud800x'));
console.log(dec.decode(new Uint8Array([0xef, 0xbb, 0xbf, 65])), new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array([0xef, 0xbb, 0xbf, 65])).length);
console.log(dec.decode(new Uint8Array([0xff, 65, 0xc3])));
try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([0xff])); } catch (e) { console.log(e.name); }
const stream = new TextDecoder();
console.log(stream.decode(new Uint8Array([0xe2, 0x82]), { stream: true }) + stream.decode(new Uint8Array([0xac])));
console.log(new TextDecoder('utf-16le').decode(new Uint8Array([65, 0, 66, 0])));
console.log(dec.decode(new Uint8Array([65, 66]).buffer), dec.decode(new DataView(new ArrayBuffer(1))).length, dec.decode());
console.log(btoa('hello'), atob('aGVsbG8='), atob(' aGk= '), btoa(''));
try { btoa('€'); } catch (e) { console.log(e.name, e.code, e instanceof DOMException); }
try { atob('*'); } catch (e) { console.log(e.name, e.code); }
console.log(encodeURIComponent('a b&c/é'), decodeURIComponent('%E2%82%AC'), encodeURI('http://x/a b?q=é'), escape('a b'), unescape('%20'));
try { decodeURIComponent('%'); } catch (e) { console.log(e.name); }
console.log('abc'.isWellFormed(), '\ud800'.isWellFormed(), '\ud800'.toWellFormed() === '\ufffd');
const latin = new TextDecoder('latin1');
console.log(latin.encoding, latin.decode(new Uint8Array([65, 0xe9, 0xff])), new TextDecoder('ascii').decode(new Uint8Array([72, 105]).buffer), new TextDecoder('UTF8').encoding);
try { new TextDecoder('no-such-encoding'); } catch (e) { console.log(e.name); }
