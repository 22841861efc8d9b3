import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The console. `#contract/…` resolves through the `imports` of package.json, as it does in Node. */
export default defineConfig({
  root: `${import.meta.dirname}/src/console`,
  plugins: [react()],
  // Nothing inlined: the page then needs no `data:` in its content security policy.
  build: { outDir: `${import.meta.dirname}/dist/console`, emptyOutDir: true, assetsInlineLimit: 0 },
  server: { proxy: { '/api': 'http://localhost:8080', '/docs': 'http://localhost:8080' } },
})
