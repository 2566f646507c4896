let message = '';
try { require('fs'); } catch (e) { message = e.message; }
message;
