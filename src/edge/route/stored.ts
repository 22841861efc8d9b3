/** An answer as its table keeps it: what is named `…_at` or `…_since` is a date. */
export type Stored<Answer> = {
  readonly [Key in keyof Answer]: Key extends `${string}_at` | `${string}_since` ? DateFor<Answer[Key]> : Answer[Key]
}
type DateFor<Text> = null extends Text ? Date | null : Date

type WithTexts<Row> = { readonly [Key in keyof Row]: TextFor<Row[Key]> }
type TextFor<Value> = Value extends Date ? string : Value

/**
 * Makes an answer of a row: its dates become texts. Other columns than those that the output of the operation names do
 * not leave, because the edge passes every answer through that schema.
 */
export function toAnswer<Row extends object>(row: Row): WithTexts<Row> {
  const entries = Object.entries(row).map(([key, value]) => [key, value instanceof Date ? value.toISOString() : value])
  return Object.fromEntries(entries) as WithTexts<Row>
}
