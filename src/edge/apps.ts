import type { Tx } from '#lib/db/db.ts'

export type AppName = { readonly id: string; readonly alias: string; readonly name: string }

/** Says which apps an organization has. Other organizations' apps are never found. */
export type AppDirectory = {
  /** Finds an app by its alias or its id. Returns undefined when there is none or it is being deleted. */
  find(orgId: string, aliasOrId: string): Promise<AppName | undefined>
  /** By id; apps that do not exist any more have no entry. */
  names(orgId: string, appIds: readonly string[]): Promise<ReadonlyMap<string, AppName>>
}

/**
 * Finds an app as `AppDirectory.find` does and holds off its deletion until the transaction ends. Rows of other areas that
 * belong to an app are added under it, so that nothing is added to an app that is being deleted.
 */
export type HoldApp = (tx: Tx, orgId: string, aliasOrId: string) => Promise<AppName | undefined>

/** A request to an app. `host` and `isSecure` are what its client used. */
export type AppRequest = {
  readonly label: string
  readonly request: Request
  readonly clientAddress: string
  readonly host: string
  readonly isSecure: boolean
}
export type AnswerAppRequest = (request: AppRequest) => Promise<Response>
