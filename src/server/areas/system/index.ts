import { notFound } from '#contract/core/errors.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { docs, docsOfArea, health, metrics, openapi, type Readiness, ready } from '#contract/system.ts'
import { bearerOf } from '#edge/credentials/caller.ts'
import { DOCS_CSP, type DocsPages, docsPages } from '#edge/docs/page.ts'
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

const CACHED = { 'cache-control': 'max-age=60' }

/** Serves the OpenAPI document and the pages made from it. All are made once, when somebody asks for one of them. */
function apiDocsRoutes({ version }: Pick<Deps, 'version'>): Route[] {
  let apiDocs: ApiDocs | undefined
  const texts = () => (apiDocs ??= makeApiDocs(version))
  return [
    route(openapi, async () => answer(texts().json, 'application/json', CACHED)),
    route(docs, async () => docsAnswer(texts().pages.overview)),
    route(docsOfArea, async ({ area }) => {
      const page = texts().pages.groups.get(area)
      if (page === undefined) throw notFound('area of the API')
      return docsAnswer(page)
    }),
  ]
}

type ApiDocs = { readonly json: string; readonly pages: DocsPages }

function makeApiDocs(version: string): ApiDocs {
  const document = toOpenApi(OPERATIONS, { version })
  return { json: JSON.stringify(document), pages: docsPages(document) }
}

function docsAnswer(page: string): Response {
  return answer(page, 'text/html; charset=utf-8', { ...CACHED, 'content-security-policy': DOCS_CSP })
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
