setInterval(() => console.log('at work'), 60_000)
