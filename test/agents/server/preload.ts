import { registerHooks } from 'node:module'

/** Loaded by Node before the server, for what no setting of the product changes: how long an access token is valid. */
const { AGENTS_TOKEN_SECONDS } = process.env
const LIFETIME = 'ACCESS_TOKEN_SECONDS = 10 * 60'

if (AGENTS_TOKEN_SECONDS !== undefined) {
  registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context)
      if (!url.endsWith('/src/edge/credentials/access-token.ts')) return loaded
      const source =
        typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source ?? undefined)
      if (!source.includes(LIFETIME)) throw new Error(`${url} has no "${LIFETIME}"`)
      return { ...loaded, source: source.replace(LIFETIME, `ACCESS_TOKEN_SECONDS = ${AGENTS_TOKEN_SECONDS}`) }
    },
  })
}
