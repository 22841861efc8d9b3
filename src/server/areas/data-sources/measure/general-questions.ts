/*
 * General questions on forty-two subjects of life, eight of each, in the forms that people and agents use. They were written
 * for this product and are under its licence. No subject has more than eight of them, so that a table about one of
 * these subjects leaves most of the list foreign to it.
 */
const TEXT = `
how long do I boil eggs so that the yolk stays soft
substitute for buttermilk in pancakes
Why does my bread not rise in winter?
What can I cook with leftover rice and two carrots?
recipe for lentil soup without onions
Is it safe to eat potatoes that have started to sprout?
how to sharpen a kitchen knife at home
Which spices belong in a garam masala?
What helps against a sore throat?
how many hours of sleep does a teenager need
symptoms of iron deficiency
Can I take ibuprofen together with paracetamol?
Why do my knees hurt when I climb stairs?
How high is a normal resting pulse?
when should a child with a fever see a doctor
exercises for lower back pain after sitting all day
cheap flights from Berlin to Lisbon in May
Do I need a visa to travel to Japan for two weeks?
What is the best month to visit Patagonia?
how much cash may I carry across the border
Which vaccinations are recommended for Kenya?
night train from Paris to Venice
Are dogs allowed on the ferry to Sardinia?
what to pack for a week of hiking in Norway
Who won the football world cup in 1998?
rules of offside explained simply
How long is a marathon in miles?
best stretching routine before swimming
Why is tennis scored 15, 30, 40?
Which country has won the most Olympic medals?
how to improve my serve in volleyball
What do the colours of judo belts mean?
When did the Roman Empire fall?
causes of the first world war
Who built the pyramids of Giza?
What was life like for a peasant in medieval England?
Why did the Berlin Wall come down?
the Silk Road and what was traded on it
How did the plague of 1348 reach Europe?
Which treaty ended the Thirty Years' War?
What is the capital of Mongolia?
longest river in South America
Which countries border the Caspian Sea?
How high is Mount Kilimanjaro?
name the five largest islands of the world
Why does Chile have so many volcanoes?
population of Iceland
Where do the Blue Nile and the White Nile meet?
Why is the sky blue?
How does a magnet work?
What is the difference between mass and weight?
speed of light in kilometres per hour
Can water be cooled below zero without freezing?
Who discovered penicillin?
explain entropy to a ten year old
How do noise cancelling waves cancel each other?
How many moons does Jupiter have?
When is the next total solar eclipse in Spain?
distance from the Earth to the Moon
What happens when two black holes collide?
Why do stars twinkle and planets do not?
how old is the universe
Which planet is visible before sunrise this month?
Who was the first woman in space?
Do I have to pay tax on a gift from my grandmother?
how much of my salary should I save each month
What is compound interest?
difference between a stock and a bond
Is it worth paying off the mortgage early?
How does inflation affect my pension?
open a savings account for my child
What is a fair rent for two rooms in Vienna?
Can my landlord enter the flat without asking?
notice period when I quit my job
What happens if someone dies without a will?
How do I contest a parking ticket?
Is a verbal agreement a contract?
age at which children may decide where they live after a divorce
Who pays when a tree falls on my neighbour's car?
how to register a trademark
How do I fix a dripping tap?
paint for a damp cellar wall
Which drill bit do I need for tiles?
My washing machine does not drain. What now?
how to remove red wine from a carpet
Can I lay laminate over an old wooden floor?
What size of radiator heats a room of twenty square metres?
squeaking door hinge
When do I prune apple trees?
Why do the leaves of my tomatoes turn yellow?
plants for a shady balcony
How do I keep snails away from the lettuce?
best soil for blueberries
How often should an orchid be watered?
sow wildflowers in autumn or in spring
Which hedge grows fastest?
How do I teach a puppy to walk on a leash?
Why does my cat knead the blanket?
what may hamsters eat
How old do goldfish get?
vaccinations for a kitten
My dog ate chocolate. Is that dangerous?
how much space does a rabbit need
Can parrots understand what they say?
At what age do babies start to crawl?
ideas for a birthday party of eight year olds
How do I get my toddler to brush her teeth?
bedtime stories about courage
How much pocket money is right for a twelve year old?
My son does not want to go to school. What can I do?
when do milk teeth fall out
games for a long car ride with children
How do I apologise to a friend I have hurt?
what to write in a condolence card
How can we argue less about the household?
first date ideas for shy people
Should I invite my ex to the wedding?
How do I tell my parents that I am moving abroad?
gift for a colleague who retires
signs that a friendship is over
What do Buddhists believe about rebirth?
why is Easter on a different date each year
How many prayers a day does Islam require?
meaning of the burning bush
What is eaten on the Passover evening?
Who wrote the letters to the Corinthians?
the difference between Sunni and Shia
What happens at a Hindu wedding?
Who composed The Four Seasons?
chords of a twelve bar blues in E
How do I read the bass clef?
What is the difference between a viola and a violin?
songs to sing around a campfire
Why do orchestras tune to the oboe?
Which band recorded the best selling album of the eighties?
how long does it take to learn the guitar
Who directed the film Casablanca?
films about friendship in wartime
Which actor has won the most Oscars?
in which order should I watch the Star Wars films
What is the twist at the end of The Sixth Sense?
When was the first film with sound shown?
a comedy for the whole family on a rainy Sunday
Why are films shot at twenty-four pictures a second?
Who wrote One Hundred Years of Solitude?
summary of Hamlet in three sentences
What is an unreliable narrator?
poems about autumn
Which novel begins with the words Call me Ishmael?
crime novels set in Scotland
How many plays did Shakespeare write?
What is the moral of the fable of the fox and the grapes?
Who painted Girl with a Pearl Earring?
how to mix a natural skin tone in oil
What is the difference between Manet and Monet?
materials for a first watercolour course
Why is the Mona Lisa so famous?
What does perspective mean in drawing?
opening hours of the modern art museum
How is bronze cast?
What is the plural of octopus?
How do you say thank you in Finnish?
origin of the word salary
When do I use who and when whom?
words that rhyme with orange
How many people speak Portuguese?
difference between a proverb and an idiom
Is there a future tense in Japanese?
What is the square root of 529?
How do I calculate the area of a trapezium?
proof that there are infinitely many primes
What is the probability of two sixes in a row?
solve for x: three x plus seven equals twenty-five
Why can we not divide by zero?
how many degrees are in the angles of a pentagon
What is a derivative good for?
Which birds stay in Europe over the winter?
How do bees find their way home?
tallest tree in the world
Why do whales sing?
What do hedgehogs eat in autumn?
Is the lynx back in the Alps?
how to tell a toad from a frog
Can mushrooms be poisonous to touch?
Will it rain tomorrow afternoon?
What is the difference between a hurricane and a typhoon?
how do snowflakes form
coldest place on Earth
Why is it so windy at the coast?
What does a falling barometer mean?
average temperature in Athens in October
How far away is a thunderstorm when I count to six?
How often should the oil of a car be changed?
winter tyres or all season tyres
What does the orange engine light mean?
how much does it cost to charge an electric car
My bicycle chain keeps falling off.
Is a moped allowed on the motorway?
tyre pressure for a trailer
Who has the right of way at a roundabout?
When does the last bus to the airport leave?
bicycle on the underground during rush hour
What does a monthly ticket for the tram cost?
Why are trains late when it snows?
delayed flight compensation after four hours
Which seat on the plane is the quietest?
lost my suitcase at the station
Do children under six travel free of charge?
What shoes go with a navy suit?
how to wash a wool jumper without shrinking it
Is linen too cold for autumn?
difference between satin and silk
How do I tie a bow tie?
dress code business casual for women
What does size 42 mean in American shoe sizes?
remove pilling from a cardigan
How do I ask my boss for a raise?
questions to ask at the end of a job interview
What belongs into a cover letter?
how to take minutes of a meeting
My colleague takes credit for my work. What should I do?
How many days of holiday do I have left?
template for a letter of resignation
Is it normal to be nervous before a presentation?
How do I write a business plan for a bakery?
What is a limited liability company?
price elasticity with an example
Why do startups fail?
how to win back unhappy customers
What is the break-even point?
names for a flower shop
Which permits does a food truck need?
How is the president of France elected?
What does a parliament do?
arguments for and against compulsory voting
Who may sign a petition?
How long is the term of a judge at the supreme court?
What is the difference between a state and a nation?
members of the European Union in alphabetical order
Why are there two chambers?
My phone does not charge any more.
How do I move my photos to a new phone?
which television for a small living room
Why is my internet so slow in the evening?
turn off notifications at night
How long does the battery of a smart watch last?
Is it bad to leave a laptop plugged in?
headphones that do not hurt with glasses
How do I reverse a list in Python?
difference between a stack and a queue
What does a foreign key do?
centre a box in the middle of a page with CSS
Why does my loop never end?
What is recursion?
regular expression for a date
How do I undo the last commit?
How do you castle in chess?
strategy for the first move in backgammon
What are the house rules for Monopoly?
card games for two people
How many pieces does a domino set have?
best co-operative board game for adults
solve the last layer of the cube
What does a full house beat in poker?
What did Kant mean by the categorical imperative?
Is there free will?
the trolley problem and its critics
Why did Socrates drink the hemlock?
How do Stoics deal with anger?
What is the meaning of life?
difference between ethics and morals
Can a machine be conscious?
Why do we dream?
how to stop worrying before falling asleep
What is an introvert?
the stages of grief
How does memory change with age?
Why do people procrastinate?
tips against stage fright
What is the placebo effect?
I want to return a jumper that does not fit.
When will my parcel arrive?
How do I cancel my subscription?
The invoice has the wrong address.
is there a discount for students
What is the warranty on this kettle?
change the delivery date of my order
Do you ship to Switzerland?
How do I fold a paper crane?
knitting pattern for baby socks
What glue holds wood and metal?
make candles from leftover wax
How do I develop black and white film?
ideas for painting stones
Which needle do I need for denim?
build a bird house with children
How is cheese made?
Where does coffee grow best?
how much milk does a cow give a day
What is crop rotation?
Why are eggs brown or white?
harvest time of grapes in Burgundy
Which bees make the most honey?
How is olive oil pressed?
What is the tallest building in the world?
how does a suspension bridge carry its load
Why are Greek columns thicker in the middle?
What is the difference between Gothic and Romanesque churches?
insulate a roof from the inside
How deep must a foundation be?
Who designed the Sydney Opera House?
houses made of straw
How does a heat pump work?
What can I recycle in the yellow bin?
carbon footprint of a flight to New York
Are paper bags better than plastic bags?
How many solar panels does a family need?
Why are coral reefs dying?
save water in the shower
How long does a wind turbine last?
How do I do a cartwheel?
beginner yoga for stiff people
How many push-ups should I manage at fifty?
What do I eat before a long run?
training plan for ten kilometres in eight weeks
Is muscle ache a good sign?
How do I breathe when swimming front crawl?
calories burned by an hour of cycling
What is the zodiac sign of somebody born on the third of June?
How do I become a volunteer at the fire brigade?
first aid for a burn
When are the shops closed this year?
How do I find out who lived in my house before?
etiquette at a Japanese dinner
What time is it in Auckland when it is noon in London?
Where can I donate old clothes?
`

/** The questions that nobody asks of one particular table, for learning which scores such questions reach. */
export const GENERAL_QUESTIONS: readonly string[] = TEXT.trim().split('\n')
