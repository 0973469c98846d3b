exports.word = (service) => `a word from ${service}`
