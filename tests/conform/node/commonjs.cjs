// tests/conform/node/commonjs.cjs -- require, module, exports  (SPDX-License-Identifier: MIT)
const fs = require('fs');
const path = require('path');
console.log(require.main === module, module.id, module.exports === exports, this === exports, arguments.length, typeof require.cache);
console.log(path.basename(__filename), path.dirname(__filename) === __dirname, module.filename === __filename, module.loaded);
const root = fs.mkdtempSync('/tmp/gb-cjs-');
const put = (name, text) => fs.writeFileSync(path.join(root, name), text);
put('a.js', 'exports.early = 1; const b = require("./b"); exports.late = b.sawEarly;');
put('b.js', 'const a = require("./a"); exports.sawEarly = a.early + ":" + a.late;');
put('data.json', '{"json": [1, 2]}');
fs.mkdirSync(path.join(root, 'node_modules/pkg/lib'), { recursive: true });
put('node_modules/pkg/package.json', '{"name":"pkg","exports":{".":"./lib/main.js","./sub":{"require":"./lib/sub.cjs","import":"./lib/sub.mjs"}}}');
put('node_modules/pkg/lib/main.js', 'module.exports = class Pkg {};');
put('node_modules/pkg/lib/sub.cjs', 'module.exports = "required";');
put('node_modules/pkg/lib/sub.mjs', 'export default "imported";');
put('use.js', 'module.exports = [require("pkg").name, require("pkg/sub"), import("pkg/sub").then((m) => m.default)];');
console.log(require(path.join(root, 'a')), require(path.join(root, 'data')));
const used = require(path.join(root, 'use.js'));
console.log(used.slice(0, 2), require(path.join(root, 'use.js')) === used);
put('bad.js', 'let x = ;');
put('throws.js', 'throw new Error("while loading")');
put('hidden.js', 'require("pkg/lib/main.js")');
for (const name of ['./bad.js', './throws.js', './hidden.js', './none.js']) {
    try {
        require(path.join(root, name));
    } catch (error) {
        console.log(error.name, error.code, error.message.split('\n')[0].replace(root, ''));
    }
}
console.log(require('module').builtinModules.includes('fs'), require('node:fs') === fs, require.resolve.paths('x').length > 0);
used[2].then((value) => {
    console.log(value);
    fs.rmSync(root, { recursive: true });
});
import('node:path').then((m) => console.log(m.default === path));
