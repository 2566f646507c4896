import { z } from 'zod';
const User = z.object({ name: z.string().min(2), age: z.number().int().positive() });
console.log(User.parse({ name: 'Ada', age: 36 }));
const bad = User.safeParse({ name: 'A', age: -1 });
console.log(bad.success, bad.error.issues.map((i) => [i.code, i.path]));
