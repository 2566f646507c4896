throw Object.setPrototypeOf(new TypeError('bare'), null);
