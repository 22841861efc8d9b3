import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** For working on the console: `npx vite` serves it beside a running server. `scripts/build-console.ts` builds it. */
export default defineConfig({
  root: `${import.meta.dirname}/src/console`,
  plugins: [react()],
  server: { proxy: { '/api': 'http://localhost:8080', '/docs': 'http://localhost:8080' } },
})
