import type { OpenApiDocument } from '../openapi/document.ts'
import type { JsonSchema } from '../openapi/schema.ts'
import { type Html, html } from '../pages/html.ts'

/** `marks` selects which fields are marked: required ones in requests, optional ones in answers. */
type View = { doc: Pick<OpenApiDocument, 'components'>; marks: 'required' | 'optional' }
type Schema = JsonSchema | boolean | undefined
export type Field = { name: string; required: boolean; description?: string | undefined; schema: Schema }
/** Names of the schemas that enclose this one, so that a recursive schema is not expanded again. */
type Open = readonly string[]

/** Renders our own text, with parts in backquotes as code. */
export function prose(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}

/**
 * The ARIA roles are explicit, because some browsers drop table semantics when CSS shows rows as blocks (on phones).
 */
export function fieldTable(name: string, fields: readonly Field[], view: View, open: Open = []): Html {
  return html`<table role="table" aria-label="${name}"><colgroup><col class="name"><col></colgroup>
<tbody role="rowgroup">${fields.map((field) => fieldRow(field, view, open))}</tbody></table>`
}

function fieldRow(field: Field, view: View, open: Open): Html {
  const { name, schema } = field
  const { schema: found } = resolve(schema, view)
  const limits = limitsOf(found)
  const words = field.description ?? found.description
  const mark = field.required === (view.marks === 'required') && view.marks
  return html`<tr role="row"><th role="rowheader" scope="row"><code>${name}</code>${mark && html` <small class="${mark}">${mark}</small>`}</th>
<td role="cell"><span class="type">${typeWords(schema, view, open)}</span>${limits !== '' && html` <span class="limits">${limits}</span>`}
${words !== undefined && html`<p>${prose(words)}</p>`}${details(name, schema, view, open)}</td></tr>
`
}

function details(name: string, schema: Schema, view: View, open: Open): Html[] {
  const objects = objectsIn(schema, view, open)
  return objects.map((object, index) => {
    const form = objects.length > 1 ? html`, ${formWords(object.schema, index)}` : false
    return html`<details><summary>Fields of <code>${name}</code>${form}</summary>
${fieldTable(`Fields of ${name}`, fieldsOf(object.schema), view, object.open)}</details>`
  })
}

/** Renders a top-level schema: the fields of an object, otherwise its type and the fields of the objects inside. */
export function schemaBlock(name: string, schema: Schema, view: View): Html {
  const root = resolve(schema, view)
  const fields = fieldsOf(root.schema)
  if (fields.length > 0) return fieldTable(name, fields, view, opened([], root.ref))
  const objects = objectsIn(schema, view, [])
  if (objects.length === 0) return html`<p class="type">${typeWords(schema, view, [])}</p>`
  return html`${objects.map((object, index) => {
    const form = objects.length > 1 ? formWords(object.schema, index) : html`each item`
    return html`<details open><summary>${form}</summary>
${fieldTable(name, fieldsOf(object.schema), view, object.open)}</details>`
  })}`
}

/** Names one of several variants by the field that distinguishes it. */
function formWords({ properties = {} }: JsonSchema, index: number): Html {
  for (const [key, schema] of Object.entries(properties)) {
    if (typeof schema === 'object' && schema.const !== undefined) return html`${key} ${literal(schema.const)}`
  }
  const [only, ...others] = Object.keys(properties)
  return only !== undefined && others.length === 0 ? html`only <code>${only}</code>` : html`form ${index + 1}`
}

function fieldsOf({ properties = {}, required = [] }: JsonSchema): Field[] {
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, required: required.includes(name) }))
}

function resolve(schema: Schema, { doc }: View): { schema: JsonSchema; ref?: string } {
  if (typeof schema !== 'object') return { schema: {} }
  const ref = schema.$ref?.replace('#/components/schemas/', '')
  return ref === undefined ? { schema } : { schema: doc.components.schemas[ref] ?? {}, ref }
}

function opened(open: Open, ref: string | undefined): Open {
  return ref === undefined ? open : [...open, ref]
}

/** Returns the objects with named fields that a value can be or directly contain. */
function objectsIn(schema: Schema, view: View, open: Open): { schema: JsonSchema; open: Open }[] {
  const { schema: found, ref } = resolve(schema, view)
  if (ref !== undefined && (open.includes(ref) || ref === 'Problem')) return []
  const inside = opened(open, ref)
  if (found.properties && Object.keys(found.properties).length > 0) return [{ schema: found, open: inside }]
  const parts = [...variantsOf(found), ...(found.prefixItems ?? []), found.additionalProperties, found.items]
  return parts.flat().flatMap((part) => (typeof part === 'object' ? objectsIn(part, view, inside) : []))
}

function variantsOf({ anyOf, oneOf, allOf }: JsonSchema): JsonSchema[] {
  return anyOf ?? oneOf ?? allOf ?? []
}

function typeWords(schema: Schema, view: View, open: Open): Html {
  const { schema: found, ref } = resolve(schema, view)
  if (ref === 'Problem') return html`<a href="/docs#errors">problem</a>`
  if (ref !== undefined && open.includes(ref)) return html`the same again`
  const inside = opened(open, ref)
  const variants = variantsOf(found)
  if (variants.length > 0) {
    const words = variants.map((part) => typeWords(part, view, inside))
    return joined(words, found.allOf === variants ? ' and ' : ' or ')
  }
  if (found.enum) return joined(found.enum.map(literal), ' | ')
  if (found.const !== undefined) return literal(found.const)
  if (found.type === 'array') return html`list of ${typeWords(itemOf(found), view, inside)}`
  if (typeof found.additionalProperties === 'object') {
    return html`map of text to ${typeWords(found.additionalProperties, view, inside)}`
  }
  return html`${[found.type ?? 'anything'].flat().join(' or ')}${found.format && ` (${found.format})`}`
}

function itemOf({ items }: JsonSchema): Schema {
  return Array.isArray(items) ? { anyOf: items.filter((item) => typeof item === 'object') } : items
}

function literal(value: unknown): Html {
  return html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`
}

function joined(parts: readonly Html[], separator: string): Html {
  return html`${parts.map((part, index) => (index === 0 ? part : html`${separator}${part}`))}`
}

function limitsOf(schema: JsonSchema): string {
  const texts = [
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
    // The pattern of a known format is left out, because the format's name is clearer.
    schema.pattern !== undefined && schema.format === undefined ? `matches ${schema.pattern}` : '',
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ]
  return texts.filter((text) => text !== '').join(' · ')
}

/** Leaves out bounds that are merely those of safe integers. */
function range(low: number | undefined, high: number | undefined, unit: string): string {
  const least = low === undefined || low <= Number.MIN_SAFE_INTEGER ? undefined : count(low)
  const most = high === undefined || high >= Number.MAX_SAFE_INTEGER ? undefined : count(high)
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`
  if (least !== undefined) return `at least ${least}${unit}`
  return most === undefined ? '' : `at most ${most}${unit}`
}

export function count(value: number): string {
  return value.toLocaleString('en')
}
