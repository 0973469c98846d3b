/** Only what runs is kept: a small image. */
export default { output: 'standalone' }
