export const greet = (who) => `the ${who} of a pnpm workspace greets`
