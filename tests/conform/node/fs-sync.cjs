// tests/conform/node/fs-sync.cjs -- files, synchronously  (SPDX-License-Identifier: MIT)
const fs = require('fs');
const os = require('os');
const path = require('path');

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'gb-'));
const at = (...names) => path.join(root, ...names);
fs.writeFileSync(at('a.txt'), 'one\ntwo\n');
fs.appendFileSync(at('a.txt'), Buffer.from('three\n'));
console.log(fs.readFileSync(at('a.txt'), 'utf8').split('\n'));
fs.mkdirSync(at('deep', 'er'), { recursive: true });
fs.copyFileSync(at('a.txt'), at('deep', 'b.txt'));
fs.renameSync(at('deep', 'b.txt'), at('deep', 'er', 'c.txt'));
fs.symlinkSync('er/c.txt', at('deep', 'link'));
fs.linkSync(at('a.txt'), at('hard'));
console.log(fs.readlinkSync(at('deep', 'link')), fs.readFileSync(at('deep', 'link'), 'latin1').length);
console.log(fs.statSync(at('hard')).nlink, fs.lstatSync(at('deep', 'link')).isSymbolicLink(), fs.statSync(root).isDirectory());
console.log(fs.readdirSync(root, { withFileTypes: true }).map((e) => [e.name, e.isDirectory()]).sort());
console.log(fs.readdirSync(root, { recursive: true }).sort());
const fd = fs.openSync(at('a.txt'), 'r+');
console.log(fs.writeSync(fd, 'ONE', 0), fs.readSync(fd, Buffer.alloc(3), 0, 3, 4), fs.fstatSync(fd).size);
fs.ftruncateSync(fd, 5);
fs.closeSync(fd);
console.log(JSON.stringify(fs.readFileSync(at('a.txt'), 'utf8')));
fs.chmodSync(at('a.txt'), 0o600);
fs.utimesSync(at('a.txt'), 1, 2);
console.log((fs.statSync(at('a.txt')).mode & 0o777).toString(8), fs.statSync(at('a.txt')).mtimeMs);
for (const attempt of [
    () => fs.readFileSync(at('none')), () => fs.rmdirSync(at('deep')), () => fs.mkdirSync(at('deep')),
    () => fs.readFileSync(root), () => fs.openSync(at('a.txt', 'x')), () => fs.writeFileSync(5.5, ''),
]) {
    try {
        attempt();
    } catch (error) {
        console.log(error.name, error.code, error.syscall);
    }
}
console.log(fs.existsSync(at('none')), fs.accessSync(at('a.txt'), fs.constants.R_OK));
fs.rmSync(root, { recursive: true });
console.log(fs.existsSync(root));
