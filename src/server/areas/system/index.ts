import { notFound } from '#contract/core/errors.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { docs, health, metrics, openapi, type Readiness, ready } from '#contract/system.ts'
import { bearerOf } from '#edge/credentials/caller.ts'
import { DOCS_CSP, docsPage } from '#edge/docs/page.ts'
import { toOpenApi } from '#edge/openapi/document.ts'
import { type Context, type Route, route } from '#edge/route/route.ts'
import { equalSecrets } from '#lib/crypto/keys.ts'
import type { Metrics } from '#lib/metrics/metrics.ts'

type Deps = {
  running: readonly string[]
  version: string
  readiness: () => Promise<Readiness>
  metrics: Metrics
  operatorToken: string | undefined
  /** Whether this service serves the OpenAPI document and its page. */
  describesApi: boolean
}

/** Answers what operators ask of every process and, at the gateway, describes the API. */
export function createSystem(deps: Deps): { readonly routes: readonly Route[] } {
  return { routes: [...operatorRoutes(deps), ...(deps.describesApi ? apiDocsRoutes(deps) : [])] }
}

function operatorRoutes(deps: Deps): Route[] {
  return [
    route(health, async () => ({ status: 'ok' as const, services: [...deps.running], version: deps.version })),
    route(ready, async ({ draining }) => {
      const readiness = await deps.readiness()
      const failing = draining === '404' && isOnlyDraining(readiness) ? 404 : 503
      return answer(JSON.stringify(readiness), 'application/json', {}, readiness.status === 'ready' ? 200 : failing)
    }),
    route(metrics, async (_, context) => {
      admitScraper(context, deps.operatorToken)
      return answer(await deps.metrics.registry.metrics(), deps.metrics.registry.contentType)
    }),
  ]
}

function isOnlyDraining({ dependencies }: Readiness): boolean {
  const failing = Object.entries(dependencies).filter(([, { status }]) => status === 'failing')
  return failing.every(([name]) => name === 'draining')
}

/** Serves the OpenAPI document and the page made from it. Both are made once, when somebody asks for one of them. */
function apiDocsRoutes({ version }: Pick<Deps, 'version'>): Route[] {
  let apiDocs: { json: string; page: string } | undefined
  const texts = () => (apiDocs ??= makeApiDocs(version))
  const cached = { 'cache-control': 'max-age=60' }
  return [
    route(openapi, async () => answer(texts().json, 'application/json', cached)),
    route(docs, async () =>
      answer(texts().page, 'text/html; charset=utf-8', { ...cached, 'content-security-policy': DOCS_CSP }),
    ),
  ]
}

function makeApiDocs(version: string): { json: string; page: string } {
  const document = toOpenApi(OPERATIONS, { version })
  return { json: JSON.stringify(document), page: docsPage(document) }
}

/** Throws NOT_FOUND unless the request came straight from the private network or brings the operator's token. */
function admitScraper(context: Context<null>, operatorToken: string | undefined): void {
  if (context.direct) return
  const token = bearerOf(context.request)
  if (token !== undefined && operatorToken !== undefined && equalSecrets(token, operatorToken)) return
  throw notFound()
}

function answer(body: string, type: string, headers: Record<string, string> = {}, status = 200): Response {
  return new Response(body, {
    status,
    headers: { 'content-type': type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...headers },
  })
}
