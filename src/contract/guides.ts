import { z } from 'zod'
import { rawGet } from './core/methods.ts'
import { operation } from './core/operation.ts'

export const GUIDES_PATH = '/guides'

export const guideIndex = operation({
  ...rawGet,
  access: 'public',
  name: 'guides.index',
  path: GUIDES_PATH,
  summary: 'Show the list of guides',
  produces: ['text/html'],
})

export const guideFile = operation({
  ...rawGet,
  access: 'public',
  name: 'guides.file',
  path: `${GUIDES_PATH}/{file}`,
  summary: 'Show a guide, or get a style, script or search index of the guides',
  input: z.object({ file: z.string().max(100) }),
  produces: ['text/html', 'text/css', 'text/javascript'],
})
