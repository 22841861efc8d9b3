import { expect, it } from 'vitest'
import { readForm, showField, startForm, typeField, typeJson } from './form-state.ts'
import { type Argument, readFields } from './read-fields.ts'

const SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    note: { type: 'string' },
    count: { type: 'integer' },
    share: { type: 'number' },
    loud: { type: 'boolean' },
    size: { enum: ['s', 2, null] },
    more: {},
  },
  required: ['name'],
}
const FIELDS = readFields(SCHEMA)!
const field = (name: string): Argument => FIELDS.find((each) => each.name === name)!
const type = (json: string, name: string, text: string) => typeField(typeJson(json), FIELDS, name, text)

it.each([
  ['name', 'Ada', { name: 'Ada' }],
  ['name', '', { name: '' }],
  ['note', 'x', { name: '', note: 'x' }],
  ['count', ' 12 ', { name: '', count: 12 }],
  ['count', '1e3', { name: '', count: 1000 }],
  ['share', '1.0', { name: '', share: 1 }],
  ['loud', 'false', { name: '', loud: false }],
  ['size', '1', { name: '', size: 2 }],
  ['size', '2', { name: '', size: null }],
  ['more', '[1, {}]', { name: '', more: [1, {}] }],
])('CO-12 the field %s with %j makes the JSON, and the call, %j', (name, text, value) => {
  const state = typeField(startForm(SCHEMA), FIELDS, name, text)
  expect(JSON.parse(state.json)).toEqual(value)
  expect(readForm(state, FIELDS)).toEqual({ value })
  expect(showField(state, value, field(name)).text).toBe(text)
})

it.each([
  ['note', ''],
  ['count', ''],
  ['loud', ''],
  ['size', ''],
  ['more', ''],
])('CO-12 the emptied field %s is left out of the JSON', (name, text) => {
  expect(JSON.parse(type(`{"${name}": 1}`, name, text).json)).toEqual({})
})

it.each([
  ['count', 'soon', 'Must be a number, not soon'],
  ['count', '0x10', 'Must be a number, not 0x10'],
  ['count', '1.5', 'Must be a whole number, not 1.5'],
  ['count', '9007199254740993', 'Would be sent as 9007199254740992. Type fewer digits'],
  ['share', 'Infinity', 'Must be a number, not Infinity'],
  ['share', ' ', 'Must be a number, not '],
  ['more', '{"a"', 'Must be JSON, such as "text", 1, [] or {}'],
  ['more', '1, "b": 2', 'Must be JSON, such as "text", 1, [] or {}'],
])('CO-12 the field %s with %j is in no JSON and stops the call: %s', (name, text, fault) => {
  const state = type(`{"name": "Ada", "${name}": 1}`, name, text)
  expect(JSON.parse(state.json)).toEqual({ name: 'Ada' })
  expect(showField(state, {}, field(name))).toEqual({ text, fault })
  expect(readForm(state, FIELDS)).toEqual({ fault: `Correct ${name} first.` })
})

it.each([
  ['{"name": 5}', 'name', { text: '', note: 'The JSON has 5, which this field cannot show.' }],
  ['{"count": "x"}', 'count', { text: '', note: 'The JSON has "x", which this field cannot show.' }],
  ['{"loud": true}', 'loud', { text: 'true' }],
  ['{"size": "m"}', 'size', { text: '', note: 'The JSON has "m", which this field cannot show.' }],
  ['{"size": null}', 'size', { text: '2' }],
  ['{"more": [1]}', 'more', { text: '[\n  1\n]' }],
  ['{}', 'count', { text: '' }],
])('CO-12 of the JSON %s the field %s shows %j', (json, name, shown) => {
  expect(showField(typeJson(json), JSON.parse(json), field(name))).toEqual(shown)
})

it('CO-12 what the form does not know stays in the JSON, after its fields', () => {
  const state = type('{"other": [1], "share": 2}', 'name', 'Ada')
  expect(state.json).toBe(JSON.stringify({ name: 'Ada', share: 2, other: [1] }, null, 2))
})

it('CO-12 an argument that is named like a property of every object is one like others', () => {
  const fields = readFields(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'))!
  const state = typeField(startForm({}), fields, '__proto__', 'x')
  expect(state.json).toBe('{\n  "__proto__": "x"\n}')
  expect(showField(typeJson('{}'), {}, fields[0]!)).toEqual({ text: '' })
})

it('CO-12 editing the JSON takes the place of what was typed into fields', () => {
  const typed = typeField(startForm(SCHEMA), FIELDS, 'count', 'soon')
  const edited = typeJson(typed.json.replace('""', '"Ada"'))
  expect(readForm(edited, FIELDS)).toEqual({ value: { name: 'Ada' } })
})

it('CO-12 fields change nothing while the JSON cannot be read', () => {
  const state = typeJson('{"name": ')
  expect(typeField(state, FIELDS, 'name', 'Ada')).toBe(state)
  expect(readForm(state, FIELDS)).toEqual({ fault: expect.stringContaining('This is not JSON') })
})
