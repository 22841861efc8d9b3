import type { SealedColumn } from '#lib/crypto/sealed-columns.ts'

/** Values of environment variables. They are opened for a build or a start, and to hide them from models, and never shown. */
export const APP_VARIABLES: SealedColumn<{ app_id: string; name: string }> = {
  kind: 'environment variables of apps',
  table: ['apps', 'environment'],
  column: 'value',
  primaryKey: ['app_id', 'name'],
  context: ({ app_id, name }) => `app-variable:${app_id}:${name}`,
}
