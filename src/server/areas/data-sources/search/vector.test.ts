import { expect, it } from 'vitest'
import { bindVector } from './vector.ts'

const vector = Float32Array.of(1, -0.5, 0.1)

it('a vector goes over the wire as pgvector receives it', () => {
  expect((bindVector(vector, 'vector') as Buffer).toString('hex')).toBe('000300003f800000bf0000003dcccccd')
})

it('a part of a longer run of numbers is sent and no more', () => {
  const part = Float32Array.of(9, 1, -0.5, 0.1, 9).subarray(1, 4)
  expect(bindVector(part, 'vector')).toEqual(bindVector(vector, 'vector'))
})

it('half precision goes as text, which the database rounds', () => {
  expect(bindVector(Float32Array.of(1, -0.5), 'halfvec')).toBe('[1,-0.5]')
})
