fetch('https://example.com');
