import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where `bin/dev` listens. */
const API = `http://127.0.0.1:${process.env.SLIPWAY_PORT ?? 4600}`

export default defineConfig({
  plugins: [react(), tailwind()],
  // The contract is read as source, as the server and the tests do.
  resolve: { conditions: ['slipway-source', 'module', 'browser', 'development|production'] },
  build: {
    target: 'es2023',
    // Fonts and pictures stay files: data: addresses would have to be allowed in the policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Which files a first visit loads; test/weight.test.ts weighs them.
    manifest: 'build.json',
  },
  server: {
    proxy: {
      // A write must come from the server's own pages: here it does, by way of this one.
      '/api': { target: API, configure: (proxy) => proxy.on('proxyReq', (asked) => asked.setHeader('origin', API)) },
    },
  },
})
