const { proxy, revoke } = Proxy.revocable({}, {});
revoke();
[proxy];
