import { writeFileSync } from 'node:fs'
import { createBuiltin } from '../src/server/areas/ai/builtin/builtin.ts'
import { HANDBOOK_TEXTS, writeVectors } from '../src/server/areas/example/vectors.ts'
import { assets } from '../src/server/files/assets.ts'

/** `npm run example:embed` embeds the articles of the example. Run it after a change of their texts. */
await using model = createBuiltin()
const vectors: Float32Array[] = []
for (const text of HANDBOOK_TEXTS) vectors.push(...(await model.embed([text], AbortSignal.timeout(60_000))).vectors)
writeFileSync(assets.exampleVectors(), writeVectors(vectors))
console.log(`${assets.exampleVectors()}: ${vectors.length} vectors`)
