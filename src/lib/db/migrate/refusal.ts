/** The schema and this version do not fit together. The message says what to do and is shown to the operator. */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused'
}
