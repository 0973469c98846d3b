// output: 'standalone' would make a smaller image
export default {}
