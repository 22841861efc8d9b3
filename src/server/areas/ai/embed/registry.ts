import { ServiceError } from '#contract/core/errors.ts'
import { BUILTIN_DIMENSIONS, BUILTIN_MODEL, type Builtin } from '../builtin/builtin.ts'
import { MAX_TOKENS } from '../builtin/tokenize.ts'
import type { Embeddings, EmbedTexts, ProviderSettings } from '../providers/provider.ts'

type ModelInfo = {
  /** `provider/model` */
  readonly name: string
  /** Undefined if only the provider knows them. */
  readonly dimensions: number | undefined
}

type Model = ModelInfo & {
  /** Largest number of tokens that one text can cost. */
  readonly maxTokens: number
  embed(texts: readonly string[], signal: AbortSignal, dimensions?: number): Promise<Embeddings>
}

export type Models = {
  list(): readonly ModelInfo[]
  find(name: string): Model | undefined
  /** Throws NOT_FOUND, which lists the models, for an unknown name. */
  get(name: string): Model
}

export type Remote = ProviderSettings & { readonly embed: EmbedTexts }

const REMOTE_MAX_TOKENS = 8192
const OWN_NAME = /^[\w.:/@-]{1,128}$/

export function createModels(builtin: Pick<Builtin, 'embed'>, remotes: readonly Remote[]): Models {
  const shipped = builtinModel(builtin)
  const listed = [shipped, ...remotes.flatMap(listedModels)]
  const open = remotes.filter(({ models }) => models === undefined)
  const find = (name: string) => listed.find((model) => model.name === name) ?? findOpen(open, name)
  const names = [...listed.map(({ name }) => name), ...open.map(({ name }) => `${name}/<any of its models>`)]
  return {
    list: () => listed.map(({ name, dimensions }) => ({ name, dimensions })),
    find,
    get: (name) => {
      const model = find(name)
      if (!model) throw new ServiceError('NOT_FOUND', `no embedding model of that name; there are ${names.join(', ')}`)
      return model
    },
  }
}

function listedModels(remote: Remote): Model[] {
  const embedding = (remote.models ?? []).filter(({ dimensions }) => dimensions !== undefined)
  return embedding.map((own) => remoteModel(remote, own))
}

function builtinModel(builtin: Pick<Builtin, 'embed'>): Model {
  return {
    name: BUILTIN_MODEL,
    dimensions: BUILTIN_DIMENSIONS,
    maxTokens: MAX_TOKENS,
    embed: async (texts, signal, dimensions = BUILTIN_DIMENSIONS) => {
      if (dimensions === BUILTIN_DIMENSIONS) return builtin.embed(texts, signal)
      throw new ServiceError('INVALID_REQUEST', `dimensions: ${BUILTIN_MODEL} has ${BUILTIN_DIMENSIONS}`)
    },
  }
}

function remoteModel(remote: Remote, own: { name: string; dimensions: number | undefined }): Model {
  return {
    name: `${remote.name}/${own.name}`,
    dimensions: own.dimensions,
    maxTokens: REMOTE_MAX_TOKENS,
    embed: (texts, signal, dimensions = own.dimensions) => {
      const shortened = dimensions !== own.dimensions
      return remote.embed({ model: own.name, texts, dimensions, shortened }, signal)
    },
  }
}

function findOpen(open: readonly Remote[], name: string): Model | undefined {
  const slash = name.indexOf('/')
  const remote = open.find((provider) => provider.name === name.slice(0, slash))
  const own = name.slice(slash + 1)
  return remote && OWN_NAME.test(own) ? remoteModel(remote, { name: own, dimensions: undefined }) : undefined
}
