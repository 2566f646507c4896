[[Symbol('s')]];
