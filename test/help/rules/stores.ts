import { type SourceFile, withoutComments } from './layers.ts'

const AREAS = 'server/areas/'
const STORE = /(?:^|\/)(?:(?:[a-z0-9]+-)*store\.ts|store\/[^/]+\.ts)$/
const SQL = /\bsql`|\.query\s*[<(]/

/** Statements for servers and databases of tenants: they read and write nothing of ours. */
const TENANTS = 'runs in managed databases'
/** One statement claims a job, extends its lease or ends it, and the rule of who may do so is that statement. */
const CLAIMS = 'claims jobs'

/** Files of areas, and folders with a slash at the end, that hold SQL and are no stores, with the reason. */
const SQL_ELSEWHERE: Readonly<Record<string, string>> = {
  [`${AREAS}data-sources/configure/catalogue.ts`]: TENANTS,
  [`${AREAS}data-sources/configure/grants.ts`]: TENANTS,
  [`${AREAS}data-sources/configure/read-sample.ts`]: TENANTS,
  [`${AREAS}data-sources/configure/try-out.ts`]: TENANTS,
  [`${AREAS}data-sources/measure/runner.ts`]: TENANTS,
  [`${AREAS}data-sources/measure/statements.ts`]: TENANTS,
  [`${AREAS}data-sources/preview/preview-reader.ts`]: TENANTS,
  [`${AREAS}data-sources/measure/read-rows.ts`]: TENANTS,
  [`${AREAS}data-sources/search/`]: TENANTS,
  [`${AREAS}data-sources/watch/listing-sql.ts`]: TENANTS,
  [`${AREAS}data-sources/watch/look-at-entry.ts`]: TENANTS,
  [`${AREAS}data-sources/watch/statements.ts`]: TENANTS,
  [`${AREAS}data-sources/watch/table-size.ts`]: TENANTS,
  [`${AREAS}data-sources/watch/vector-sql.ts`]: TENANTS,
  [`${AREAS}databases/engine/`]: TENANTS,
  [`${AREAS}databases/copy/`]: TENANTS,
  [`${AREAS}databases/dump/`]: TENANTS,
  [`${AREAS}databases/move/`]: TENANTS,
  [`${AREAS}example/fill.ts`]: TENANTS,
  [`${AREAS}maintenance/claims/`]: CLAIMS,
  [`${AREAS}maintenance/proposals/validate/revalidate.ts`]: CLAIMS,
  [`${AREAS}notifications/deliver/claim.ts`]: CLAIMS,
  [`${AREAS}notifications/deliver/finish.ts`]: CLAIMS,
  [`${AREAS}notifications/deliver/reap.ts`]: CLAIMS,
  [`${AREAS}notifications/deliver/release.ts`]: CLAIMS,
}

/**
 * Finds SQL in areas outside their stores: `store.ts`, `<subject>-store.ts` and the files of a folder `store/`. Handlers
 * and rules call the functions of stores.
 */
export function findSqlOutsideStores(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith(AREAS) && !path.endsWith('.test.ts') && !STORE.test(path))
    .filter(({ path }) => !Object.keys(SQL_ELSEWHERE).some((place) => isIn(path, place)))
    .filter(hasSql)
    .map(({ path }) => `${path}: SQL of an area is in its stores`)
}

/** Returns exceptions that no file needs. */
export function findUnusedExceptions(files: readonly SourceFile[]): string[] {
  return Object.keys(SQL_ELSEWHERE).filter(
    (place) => !files.some((file) => isIn(file.path, place) && !STORE.test(file.path) && hasSql(file)),
  )
}

function isIn(path: string, place: string): boolean {
  return place.endsWith('/') ? path.startsWith(place) : path === place
}

function hasSql({ text }: SourceFile): boolean {
  return SQL.test(withoutComments(text))
}
