import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/*
 * Questions that have nothing to do with the tables: some written by hand, the others by joining subjects and questions
 * about them. None of them is in the list that the product learns from.
 */
const split = (text: string): string[] => text.split(',').map((each) => each.trim())

type Subject = { readonly names: readonly string[]; readonly questions: readonly string[] }

const SUBJECTS: readonly Subject[] = [
  {
    names: split(
      'Peru, Norway, Ghana, Vietnam, Hungary, Morocco, Canada, Uruguay, Nepal, Estonia, Egypt, Thailand, Cuba, Ireland, Tunisia, Laos, Bolivia, Greece',
    ),
    questions: split(
      'what is the national dish of $, how many people live in $, when did $ become independent, which currency do they use in $, is it safe to drink tap water in $, what is the highest mountain of $, how do people greet each other in $, which festivals are celebrated in $, what did $ export in the nineteenth century, how is the climate of $ in March, which animals live only in $, who is the most famous writer of $',
    ),
  },
  {
    names: split(
      'goulash, ratatouille, apple strudel, sushi rice, beef stew, hummus, pesto, cheesecake, roast chicken, paella, borscht, falafel, tiramisu, mushroom risotto, pumpkin soup, fish curry',
    ),
    questions: split(
      'how long does $ keep in the fridge, which wine goes with $, can I freeze $, where does $ come from, how many calories has a portion of $, what can I serve with $, how do I keep $ from getting dry, is $ suitable for vegetarians, how did my grandmother season $, what is the secret of a good $, how do I make $ for twelve guests, can babies eat $',
    ),
  },
  {
    names: split(
      'otters, penguins, camels, swallows, salmon, wolves, ladybirds, octopuses, elephants, bats, koalas, storks, moose, seahorses, crocodiles, squirrels',
    ),
    questions: split(
      'how long do $ live, what do $ feed on, where do $ sleep, how many young do $ have, are $ an endangered species, how do $ find a mate, which enemies do $ have in the wild, how fast are $, why do $ live in groups, when do $ breed, can $ be kept in captivity, how do $ survive the cold season',
    ),
  },
  {
    names: split(
      'measles, asthma, migraine, hay fever, gout, a sprained ankle, heartburn, anaemia, shingles, a broken rib, tinnitus, eczema, pneumonia, sunstroke, appendicitis',
    ),
    questions: split(
      'is $ contagious, which doctor treats $, how long does $ last, what are the first signs of $, can children get $, which home remedies help against $, can I do sports with $, how is $ diagnosed, does $ run in families, what must I not eat with $, when is $ an emergency, how did people treat $ two hundred years ago',
    ),
  },
  {
    names: split(
      'Marie Curie, Napoleon, Frida Kahlo, Mozart, Cleopatra, Gandhi, Florence Nightingale, Vincent van Gogh, Nelson Mandela, Queen Victoria, Leonardo da Vinci, Amelia Earhart, Johann Sebastian Bach, Jane Austen, Christopher Columbus',
    ),
    questions: split(
      'where was $ born, how did $ die, was $ ever married, what was the childhood of $ like, which films are about $, what did $ believe in, who were the enemies of $, where is $ buried, what is a famous saying of $, how tall was $, what made $ famous, did $ have children',
    ),
  },
  {
    names: split(
      'badminton, ice hockey, fencing, rowing, basketball, ski jumping, handball, cricket, rugby, archery, water polo, curling, wrestling, sailing',
    ),
    questions: split(
      'how long does a match of $ take, which muscles does $ train, at what age can children begin with $, how dangerous is $, who invented $, what equipment do I need for $, how are points counted in $, which nation is best at $, how much do professionals in $ earn, when did $ become an Olympic sport, is $ popular in India, what do referees of $ wear',
    ),
  },
  {
    names: split(
      'roses, tulips, basil, cherry trees, ivy, strawberries, lavender, cactuses, rhubarb, ferns, sunflowers, lemon trees, moss, pumpkins',
    ),
    questions: split(
      'how much light do $ need, when do $ bloom, which pests attack $, how do I get $ through the winter, can $ grow in a pot, how deep do I plant $, what do I do against brown leaves of $, how are $ propagated, when do I fertilise $, are $ poisonous for cats, how old can $ get, what grows well beside $',
    ),
  },
  {
    names: split(
      'a wedding, a funeral, a christening, a housewarming party, a school reunion, a silver anniversary, a baptism, an engagement party, a farewell party, a garden party',
    ),
    questions: split(
      'what do I wear to $, how much money does one give at $, how do I word an invitation to $, what music is played at $, who pays for $, how many weeks before $ do I invite the guests, what do I say in a speech at $, which flowers suit $, may I bring children to $, how do I politely decline an invitation to $',
    ),
  },
  {
    names: split(
      'the Aztecs, the Vikings, the Ottoman Empire, the Phoenicians, ancient Sparta, the Mongols, the Incas, the Habsburgs, the Ming dynasty, the Celts',
    ),
    questions: split(
      'what did $ eat, how did $ bury their dead, which gods were worshipped by $, why did $ decline, how did $ wage war, what did the houses of $ look like, which traces of $ can be visited today, how were women treated by $, what did $ trade, who was the greatest ruler of $',
    ),
  },
  {
    names: split(
      'a sofa, a fridge, curtains, a mattress, a bathtub, a fireplace, parquet, a bunk bed, a ceiling lamp, wallpaper, a wardrobe',
    ),
    questions: split(
      'how do I clean $, how much does $ cost, how long does $ last, which colour of $ suits a small room, how do I carry $ up the stairs, where can I dispose of $, who repairs $, what do I look for when I buy $, is second-hand $ a good idea, how do I get a smell out of $',
    ),
  },
  {
    names: split(
      'the flute, the harp, the accordion, the trumpet, the cello, the drums, the bagpipes, the saxophone, the church organ, the clarinet, the banjo, the mandolin',
    ),
    questions: split(
      'how long must I practise $ each day, what does a lesson for $ cost, who is the most famous player of $, at what age can a child begin to learn $, which pieces for $ are easy, how do I hold $, how is $ cleaned after playing, can I play $ in a flat without disturbing the neighbours, who invented $, what is $ made of, is $ harder to learn than the piano, which composer wrote for $',
    ),
  },
  {
    names: split(
      'Rome, Istanbul, Kyoto, Havana, Edinburgh, Marrakesh, Prague, Buenos Aires, Cape Town, Reykjavik, Sydney, Mexico City, Dublin',
    ),
    questions: split(
      'which sights must I see in $, what does a coffee cost in $, how do I get from the airport to the centre of $, which quarter of $ is best for families, when is carnival in $, where do locals eat in $, how many days do I need for $, what can I do in $ on a Sunday evening, is $ dangerous at night, which painter lived in $, how old is the cathedral of $, what souvenirs come from $',
    ),
  },
  {
    names: split(
      'a baker, a nurse, a pilot, a judge, a carpenter, a midwife, a firefighter, a veterinarian, a gardener, a train driver',
    ),
    questions: split(
      'how do I become $, what does $ earn, how long is the training of $, when does the day of $ begin, what does $ do on a holiday, which subjects in school help to become $, what is the hardest part of being $, can $ work part-time, at what age does $ retire, what does $ wear at work',
    ),
  },
]

/** The questions that were written by hand, then the joined ones in an order that mixes the subjects. */
export function foreignQuestions(count: number): string[] {
  const written = readFileSync(join(import.meta.dirname, 'foreign.txt'), 'utf8')
    .trim()
    .split('\n')
  const bySubject = SUBJECTS.map(({ names, questions }) =>
    mixed(names.flatMap((name) => questions.map((question) => question.replace('$', name)))),
  )
  const longest = Math.max(...bySubject.map(({ length }) => length))
  const joined = Array.from({ length: longest }, (_, i) => bySubject.flatMap((each) => each[i] ?? [])).flat()
  return [...written, ...joined].slice(0, count)
}

/** The same order in every run: steps by a number that shares no factor with the length. */
function mixed(list: readonly string[]): string[] {
  const step = [37, 41, 43, 47].find((each) => list.length % each !== 0)!
  return list.map((_, i) => list[(i * step) % list.length]!)
}
