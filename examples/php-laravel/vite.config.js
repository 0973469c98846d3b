export default { build: { outDir: 'public/build', manifest: true, rollupOptions: { input: 'resources/app.js' } } }
