export type TableColumn = {
  readonly name: string
  /** The type under its domains, without a length. */
  readonly type: string
  /** https://www.postgresql.org/docs/15/catalog-pg-type.html, typcategory */
  readonly category: string
  /** Dimensions of a vector; undefined for other types, and for a vector whose size nothing in the table says. */
  readonly dimensions: number | undefined
  readonly isKey: boolean
  /** The model that filled the vectors, where `svc db embed` recorded it. */
  readonly filledBy?: string | undefined
}

export type Table = { readonly schema: string; readonly name: string; readonly columns: readonly TableColumn[] }

export function isVector({ type }: Pick<TableColumn, 'type'>): boolean {
  return type === 'vector' || type === 'halfvec'
}
