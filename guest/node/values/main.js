// guest/node/values/main.js -- values across the wall of a Node.js run  (SPDX-License-Identifier: MIT)
//
// The encoder and the decoder are those of the js engine: guest/guest.mk puts
// guest/js/codec.js and guest/js/decode.js beside the files of this folder, so
// that what they import is what Node.js has to offer, and makes one file of it.

export { encode, encodeExports, setLimit, whereThrown } from './codec.js';
export { revive } from './decode.js';
export { TooLarge } from './host.js';
