// Replace what a careless runtime would call.
const evil = () => { throw 'evil'; };
JSON.stringify = JSON.parse = evil;
Promise.prototype.then = Promise.resolve = evil;
Array.prototype[Symbol.iterator] = evil;
Array.prototype.push = Array.prototype.map = Array.prototype.join = evil;
Map.prototype.get = Map.prototype.set = Map.prototype.forEach = Set.prototype.forEach = evil;
String.prototype.replace = String.prototype.split = String.prototype.slice = evil;
RegExp.prototype.exec = RegExp.prototype[Symbol.replace] = evil;
Function.prototype.call = Function.prototype.apply = Function.prototype.bind = evil;
Object.keys = Object.entries = Object.getOwnPropertyNames = evil;
globalThis.Map = globalThis.Set = globalThis.Promise = globalThis.Array = globalThis.Object = evil;
console.log({ a: [1, 2, 3], m: 'text' });
setTimeout(() => console.log('timer'), 1);
({ list: [1, 2], text: 'ok' });
