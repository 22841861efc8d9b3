import { createBuiltin } from '../src/server/areas/ai/builtin/builtin.ts'
import { embeddedText, readArticles, writeVectors } from '../src/server/areas/example/handbook.ts'
import { assets } from '../src/server/files/assets.ts'

/** `npm run example:embed` embeds the articles of the example. Run it after a change of their texts. */
await using model = createBuiltin()
const folder = assets.exampleHandbook()
const vectors: Float32Array[] = []
for (const text of readArticles(folder).map(embeddedText)) {
  vectors.push(...(await model.embed([text], AbortSignal.timeout(60_000))).vectors)
}
writeVectors(folder, vectors)
console.log(`${folder}: ${vectors.length} vectors`)
