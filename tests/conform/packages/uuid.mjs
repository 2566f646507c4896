import { v4, v5, validate, version } from 'uuid';
const id = v4();
console.log(validate(id), version(id), v5('glovebox', v5.URL), id !== v4());
