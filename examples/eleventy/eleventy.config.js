module.exports = () => ({ dir: { input: 'pages', output: 'website' } })
