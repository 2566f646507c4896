__return('early');
setTimeout(() => __return({ late: true }), 5);
'completion value';
