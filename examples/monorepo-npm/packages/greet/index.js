exports.greet = (who) => `the ${who} of a workspace greets`
