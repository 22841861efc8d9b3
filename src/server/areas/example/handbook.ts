export type Article = { slug: string; title: string; category: string; published: boolean; body: string }

/** The handbook of a company that does not exist. */
export const HANDBOOK: readonly Article[] = [
  {
    slug: 'first-day',
    title: 'Your first day',
    category: 'people',
    published: true,
    body:
      'Arrive at the Harbour House reception at 9:30 and ask for your buddy, whose name is in your welcome letter. ' +
      'Bring a passport or identity card. You collect your badge and laptop before 11:00, have lunch with your ' +
      'team, and meet the people team at 14:00 to sign the Starter Form. Nobody expects you to deliver anything ' +
      'that day.',
  },
  {
    slug: 'probation',
    title: 'Probation period',
    category: 'people',
    published: true,
    body:
      'Probation lasts three months from the start date. Your manager holds a written check-in after weeks four, ' +
      'eight and twelve and records each one in Roster, our people system. The result is confirmed, extended once ' +
      'by at most two months, or ended. During probation either side can end the contract with two weeks of ' +
      'notice.',
  },
  {
    slug: 'referral-bonus',
    title: 'Referral bonus',
    category: 'people',
    published: true,
    body:
      'If a candidate you recommended is hired, you receive 1,500 euros before tax. Enter the name of your friend ' +
      'or former colleague in the Referral Form before they apply for the job; later claims are not accepted. We ' +
      'pay half with your next salary after they start and half once they have passed probation. Hiring managers ' +
      'cannot claim for their own team.',
  },
  {
    slug: 'performance-reviews',
    title: 'Performance reviews',
    category: 'people',
    published: true,
    body:
      'Reviews take place twice a year, in April and October. You write a self-review of at most one page, three ' +
      'peers you agree with your manager add feedback, and your manager writes a summary. All of it is kept in ' +
      'Roster. The outcome is one of four ratings: developing, solid, strong or outstanding. You may attach a ' +
      'written reply within ten working days.',
  },
  {
    slug: 'one-to-ones',
    title: 'One-to-one meetings',
    category: 'people',
    published: true,
    body:
      'Every manager meets each report alone for at least 30 minutes every second week. The agenda belongs to the ' +
      'report: keep it in a shared note, and add topics before the meeting. A cancelled conversation is moved to ' +
      'the same week, never skipped. If yours is skipped twice in a row, tell the people partner of your ' +
      'department.',
  },
  {
    slug: 'job-levels',
    title: 'Job levels',
    category: 'people',
    published: true,
    body:
      'There are seven levels, L1 to L7, on two tracks that are worth the same: specialist and manager. The ' +
      'manager track starts at L4. What is expected at each level is written in the Level Guide in Roster, with ' +
      'examples for every profession. Your level is visible to you, your manager and the people team, and to no ' +
      'one else.',
  },
  {
    slug: 'promotions',
    title: 'Promotions',
    category: 'people',
    published: true,
    body:
      'Promotions are decided twice a year by a panel of five, in the month after each review round. Your manager ' +
      'proposes you with a two-page case that shows you have worked at the next level for at least six months. The ' +
      'panel answers in writing within 15 working days. A refusal names what is missing, and you may be proposed ' +
      'again in the next round.',
  },
  {
    slug: 'internal-moves',
    title: 'Moving to another team',
    category: 'people',
    published: true,
    body:
      'You can apply for any open position after twelve months in your present team. Open positions appear in ' +
      'Roster for five working days before we advertise them outside. Tell your manager once you are invited to an ' +
      'interview, not earlier. After an offer the two managers agree a handover of four to eight weeks.',
  },
  {
    slug: 'resigning',
    title: 'Handing in your notice',
    category: 'people',
    published: true,
    body:
      'Send a signed letter or a signed PDF to your manager and to the people team. After probation the notice ' +
      'period is two months to the end of a month. The people team replies within three working days with your ' +
      'last working day, the days of holiday you still have, and a date for the exit interview.',
  },
  {
    slug: 'grievances',
    title: 'Raising a complaint about conduct',
    category: 'people',
    published: true,
    body:
      'Complaints about bullying, harassment or discrimination go to any member of the people team or to the ' +
      'outside ombudsperson, Ms Adler, whose number is on the Roster start page. You receive a first answer within ' +
      'two working days. Two trained investigators who know neither side hear everyone and report within 20 ' +
      'working days. Retaliation is a reason for dismissal.',
  },
  {
    slug: 'side-jobs',
    title: 'Side jobs and freelance activity',
    category: 'people',
    published: true,
    body:
      'You may have a second occupation if it takes no more than ten hours a week, does not compete with us and ' +
      'uses none of our equipment. Send the Side Job Form to the people team before you begin; they answer within ' +
      'ten working days. Unpaid volunteering and open-source contributions in your spare time need no permission.',
  },
  {
    slug: 'mentoring',
    title: 'Mentoring scheme',
    category: 'people',
    published: false,
    body:
      'From next spring anyone past probation can ask for a mentor from another department. Pairs meet for one ' +
      'hour a month over nine months. The people team matches pairs in March and September from a short ' +
      'questionnaire. Mentors are at L4 or above and look after at most two people at a time.',
  },
  {
    slug: 'annual-leave',
    title: 'Annual leave entitlement',
    category: 'leave',
    published: true,
    body:
      'Full-time employees have 27 days of holiday per calendar year, in addition to public holidays. Part-time ' +
      'employees have a share in proportion to their working days. In the year you join or leave, you earn one ' +
      'twelfth for each full month. Your balance is on your Roster start page and is updated every night.',
  },
  {
    slug: 'booking-holiday',
    title: 'Requesting time off',
    category: 'leave',
    published: true,
    body:
      'Request holidays in Roster under Absences. For up to three days ask at least one week ahead; for anything ' +
      'longer ask at least four weeks ahead. Your manager answers within three working days, and silence after ' +
      'that counts as a yes. Put an out-of-office reply and a stand-in in your calendar once it is approved.',
  },
  {
    slug: 'carry-over',
    title: 'Carrying unused days into next year',
    category: 'leave',
    published: true,
    body:
      'Up to five unused days of annual leave move into the new year by themselves. They must be taken by 31 ' +
      'March, after which they lapse. More than five days move only if illness or parental leave kept you from ' +
      'taking them. Unused days are not paid out, except when you leave the company.',
  },
  {
    slug: 'sick-leave',
    title: 'Sick leave',
    category: 'leave',
    published: true,
    body:
      'If you are too ill to work, message your manager before 10:00 on the first day and enter the absence in ' +
      'Roster under Illness. You need a certificate from a doctor from the fourth calendar day onwards; upload it ' +
      'in Roster. Full pay continues for six weeks per illness. You do not have to say what you have.',
  },
  {
    slug: 'birth-parent-leave',
    title: 'Maternity leave',
    category: 'leave',
    published: true,
    body:
      'An employee who gives birth has 26 weeks of leave on full pay. It can start up to six weeks before the due ' +
      'date. Tell the people team at least ten weeks before it begins with the Maternity Form and the certificate ' +
      'from the midwife. Your position, level and team are kept for you until you return.',
  },
  {
    slug: 'second-parent-leave',
    title: 'Leave for the second parent',
    category: 'leave',
    published: true,
    body:
      'Fathers and partners have eight weeks off on full pay when a child is born, to stay at home with the ' +
      'newborn. Take them in one or two blocks within twelve months of the birth. Hand the Partner Form to the ' +
      'people team six weeks before the due date. A dad who has only just joined has the same right from day one.',
  },
  {
    slug: 'adoption-leave',
    title: 'Adoption leave',
    category: 'leave',
    published: true,
    body:
      'If you adopt a child under 14, one adoptive parent has 20 weeks and the other has eight weeks of leave on ' +
      'full pay, starting on the day of placement. Up to five further days are available for appointments with the ' +
      'agency. Send the placement letter to the people team; they keep it confidential and do not pass it to your ' +
      'manager.',
  },
  {
    slug: 'bereavement-leave',
    title: 'Bereavement leave',
    category: 'leave',
    published: true,
    body:
      'When a close relative dies you have ten paid days, which need not be taken together: spouse, partner, ' +
      'parent, child, sibling, grandparent. For the funeral of anyone else who mattered to you there are two paid ' +
      'days. Tell your manager or a people partner in whatever way is easiest. Nobody will ask for a certificate.',
  },
  {
    slug: 'sabbatical',
    title: 'Sabbatical',
    category: 'leave',
    published: true,
    body:
      'After five full years with us you can take one to three months of unpaid sabbatical, and again after every ' +
      'further five years. Apply with the Sabbatical Form six months before it starts. Your health insurance ' +
      'continues, paid by us. No more than one person per team can be away on sabbatical at the same time.',
  },
  {
    slug: 'caring-for-a-child',
    title: 'Looking after a sick child',
    category: 'leave',
    published: true,
    body:
      'For every child under 12 you have ten paid days a year to look after them when they are ill; single parents ' +
      'have 20. Enter them in Roster under Child Illness on the same day. A note from the paediatrician is needed ' +
      'from the second day. These days do not reduce your holiday balance.',
  },
  {
    slug: 'public-holidays',
    title: 'Public holidays',
    category: 'leave',
    published: true,
    body:
      'You have the public holidays of the place written in your contract, even when you work elsewhere that day. ' +
      'The list for each location is published in Roster every November. If a public holiday falls on a Saturday ' +
      'or Sunday there is no substitute day. 24 and 31 December are free for everyone and do not cost a day of ' +
      'holiday.',
  },
  {
    slug: 'moving-house-day',
    title: 'Day off for moving house',
    category: 'leave',
    published: true,
    body:
      'You have one paid day when you move your main home, at most once in any 24 months. Enter it in Roster under ' +
      'Special Leave and attach the new rental contract or the registration. Please change your address in Roster ' +
      'in the same week, so that tax letters and payslips reach you.',
  },
  {
    slug: 'volunteer-days',
    title: 'Volunteering days',
    category: 'leave',
    published: false,
    body:
      'We plan to give everybody two paid days a year for a registered charity of their choice. Requests would go ' +
      'through Roster under Special Leave with a letter from the charity. Whole teams could use their days ' +
      'together once a year. The people team decides in January whether the trial in the Mill Lane office becomes ' +
      'permanent.',
  },
  {
    slug: 'pay-day',
    title: 'Pay day',
    category: 'pay',
    published: true,
    body:
      'Salaries are transferred on the 25th of each month. If that is a weekend or a public holiday, the money ' +
      'arrives in your bank account on the last working day before. The transfer can take until 18:00 to show. If ' +
      'it has not arrived by the next morning, write to payroll@ with a screenshot of your account.',
  },
  {
    slug: 'payslips',
    title: 'Reading your payslip',
    category: 'pay',
    published: true,
    body:
      'Your payslip appears in Roster under Documents two working days before the transfer. The upper part shows ' +
      'gross pay and allowances, the middle part tax and social insurance, the lower part the net amount. The ' +
      'column marked YTD adds up the year so far. Payslips stay available for ten years, also after you leave.',
  },
  {
    slug: 'salary-bands',
    title: 'Salary bands',
    category: 'pay',
    published: true,
    body:
      'Each job level has a band with a minimum, a midpoint and a maximum, the same for all locations within one ' +
      'country. You can see the band of your own level and of the next one in Roster. Bands are compared with two ' +
      'independent market surveys every January. No one is hired below the minimum of the band.',
  },
  {
    slug: 'yearly-raise',
    title: 'Annual pay review',
    category: 'pay',
    published: true,
    body:
      'Base pay is reviewed once a year and changes on 1 April. The budget is set by the board in February; a ' +
      'raise depends on your rating and your place in the band. Your manager tells you the result in person before ' +
      '20 March. People who joined after 1 October are first included in the following year.',
  },
  {
    slug: 'annual-bonus',
    title: 'Company bonus',
    category: 'pay',
    published: true,
    body:
      'Everyone at L1 to L5 has a target bonus of 8 % of yearly base pay, at L6 and L7 of 15 %. Two thirds depend ' +
      'on the revenue goal of the company and one third on the goals of the department. It is paid in March for ' +
      'the year before, provided you were employed on 31 December.',
  },
  {
    slug: 'overtime',
    title: 'Overtime',
    category: 'pay',
    published: true,
    body:
      'Working hours above 40 in a week are recorded in Roster and taken back as time off within three months, one ' +
      'hour for one hour. Overtime must be agreed with your manager beforehand. Work on Sundays counts one and a ' +
      'half times. Overtime is paid out only if you leave before you could take it.',
  },
  {
    slug: 'bank-details',
    title: 'Changing your bank details',
    category: 'pay',
    published: true,
    body:
      'Change the account for your pay in Roster under Personal Data, and confirm with your security key. Changes ' +
      'made by the 12th count for the same month. Payroll calls you on the phone number we already have before the ' +
      'first transfer to a new account. Requests by mail or chat are never accepted, whoever they seem to come ' +
      'from.',
  },
  {
    slug: 'on-call-pay',
    title: 'Allowance for being on call',
    category: 'pay',
    published: true,
    body:
      'Each week on the on-call rota is paid with 350 euros, weeks with a public holiday with 450 euros. Every ' +
      'page between 22:00 and 6:00 adds 60 euros. Beacon sends the list to payroll on the 5th, and the sum is on ' +
      'the payslip of the same month. Trainee shifts beside an experienced colleague are paid in full.',
  },
  {
    slug: 'pay-advance',
    title: 'Advance on your salary',
    category: 'pay',
    published: true,
    body:
      'In an emergency you may ask for an advance of up to one net month of pay, once in twelve months. Write to ' +
      'payroll@ by the 10th; the reason stays with payroll. The sum is paid within three working days and is ' +
      'withheld without interest over the next four months. It is not available during probation.',
  },
  {
    slug: 'tax-certificate',
    title: 'Yearly tax certificate',
    category: 'pay',
    published: true,
    body:
      'The certificate you need for your tax return is placed in Roster under Documents by 28 February. A copy ' +
      'goes to the tax office electronically, so you need not send it. Former employees receive it by post at ' +
      'their last known address. Corrections are made until the end of April; write to payroll@ and name the line ' +
      'that is wrong.',
  },
  {
    slug: 'part-time',
    title: 'Switching to part-time',
    category: 'pay',
    published: true,
    body:
      'After six months with us you may reduce your hours to 50 % or more. Hand the Part-Time Form to your manager ' +
      'three months ahead; a refusal must be given in writing with business reasons. Pay and holidays shrink in ' +
      'proportion, the level does not. You may name an end date, after which you return to full hours.',
  },
  {
    slug: 'gender-pay-report',
    title: 'Pay gap report',
    category: 'pay',
    published: false,
    body:
      'Once a year the people team compares the pay of women and men at the same level and in the same profession. ' +
      'The first report covers last year and will be shown at the all-hands meeting in May. Differences above 2 % ' +
      'that level, experience and rating do not explain are corrected within three months.',
  },
  {
    slug: 'wellbeing-allowance',
    title: 'Wellbeing allowance',
    category: 'benefits',
    published: true,
    body:
      'We pay up to 40 euros a month towards sport: membership of a gym, a fitness studio, a swimming pool, a yoga ' +
      'school or a sports club. Pay the fee yourself and upload the receipt in Ledger under Wellbeing by the end ' +
      'of the quarter; you have the money with the next salary. Equipment, clothing and food are not covered. ' +
      'Unused amounts lapse at the end of the quarter.',
  },
  {
    slug: 'pension',
    title: 'Company pension',
    category: 'benefits',
    published: true,
    body:
      'After probation we pay 5 % of your gross pay into a pension fund, and match up to 3 % more that you put in ' +
      'yourself. Choose your share in Roster in January or July. The contributions are yours from the first day. ' +
      'Questions about the fund go to the adviser, who is at Harbour House on the first Tuesday of each month.',
  },
  {
    slug: 'health-insurance',
    title: 'Supplementary health insurance',
    category: 'benefits',
    published: true,
    body:
      'We pay for a supplementary insurance that covers a single room in hospital, dental crowns up to 80 % and ' +
      'physiotherapy. It begins after probation without a health examination. Your spouse and children can join at ' +
      'your own cost of 31 euros per person and month. Send claims straight to the insurer with the number on your ' +
      'insurance card.',
  },
  {
    slug: 'learning-budget',
    title: 'Learning budget',
    category: 'benefits',
    published: true,
    body:
      'Each employee has 1,200 euros and five working days a year for courses, books, certificates and ' +
      'conferences. Agree the choice with your manager, then book through Ledger under Learning. Courses above the ' +
      'yearly sum are possible if you stay for twelve months afterwards. What you do not use by December does not ' +
      'move into the next year.',
  },
  {
    slug: 'language-courses',
    title: 'Language classes',
    category: 'benefits',
    published: true,
    body:
      'Classes in English, German and Spanish run online on Tuesdays and Thursdays from 8:30 to 9:30, in groups of ' +
      'at most six. They are free and count as working time. Sign up in Roster under Learning before 1 February or ' +
      '1 September after a short placement test. Missing four lessons ends your place for that term.',
  },
  {
    slug: 'bike-leasing',
    title: 'Bicycle leasing',
    category: 'benefits',
    published: true,
    body:
      'After probation you can lease one bicycle or e-bike worth up to 5,000 euros through your salary for 36 ' +
      'months. We pay the insurance and a yearly inspection. Choose the bike at any partner dealer and send the ' +
      'quote to benefits@. At the end you may buy it for 18 % of the price or hand it back.',
  },
  {
    slug: 'public-transport-ticket',
    title: 'Commuter ticket',
    category: 'benefits',
    published: true,
    body:
      'We pay 75 % of a monthly pass for buses, trams and regional trains between your home and your office. Order ' +
      'it in Roster under Benefits by the 10th for the following month. The pass is a code in your phone and may ' +
      'also be used privately. It pauses when you are absent for more than six weeks.',
  },
  {
    slug: 'childcare-subsidy',
    title: 'Childcare subsidy',
    category: 'benefits',
    published: true,
    body:
      'Parents receive up to 150 euros a month for each child who goes to a nursery, a kindergarten or a ' +
      'registered childminder, until the child starts school. Upload the contract once and a statement of costs ' +
      'every January in Roster under Benefits. The subsidy is tax free. If both parents work here it is paid once ' +
      'per child.',
  },
  {
    slug: 'employee-shares',
    title: 'Employee shares',
    category: 'benefits',
    published: true,
    body:
      'At the end of probation you receive options according to your level. They vest over four years: a quarter ' +
      'after twelve months, the rest in equal parts every month. The price is fixed in the letter of grant. When ' +
      'you leave you have 24 months to exercise what has vested. The legal team holds a question hour each ' +
      'quarter.',
  },
  {
    slug: 'counselling',
    title: 'Confidential counselling',
    category: 'benefits',
    published: true,
    body:
      'An independent service offers talks with psychologists by phone or video, day and night, for worries at ' +
      'work or at home. Six sessions a year per topic are free for you and for those who live with you. The number ' +
      'is on the back of your badge. We learn only how many calls there were, never who called.',
  },
  {
    slug: 'eye-test',
    title: 'Glasses for screen work',
    category: 'benefits',
    published: true,
    body:
      'Every two years you may have your eyes tested during working hours. If the optician confirms that you need ' +
      'glasses for the screen, we pay up to 200 euros for them. Upload the statement of the optician and the ' +
      'invoice in Ledger under Workplace Health. Ordinary glasses and contact lenses are not covered.',
  },
  {
    slug: 'long-service',
    title: 'Work anniversaries',
    category: 'benefits',
    published: false,
    body:
      'After five years you receive an extra 500 euros, after ten years 1,500 euros and after fifteen years 3,000 ' +
      'euros, each with the pay of the anniversary month. There is also one extra day of holiday in that year. ' +
      'Your manager is reminded four weeks before. Time on parental leave counts, a sabbatical does not.',
  },
  {
    slug: 'meal-card',
    title: 'Meal card',
    category: 'benefits',
    published: false,
    body:
      'From July a prepaid card is to be loaded with 6 euros for each working day, in the office or at home. It ' +
      'will work in restaurants, bakeries and supermarkets, but not for alcohol or tobacco. Cards arrive by post. ' +
      'Days of illness and holiday are deducted in the following month.',
  },
  {
    slug: 'air-travel',
    title: 'Air travel',
    category: 'travel',
    published: true,
    body:
      'Flights of less than six hours are booked in economy class. From six hours in the air you may fly premium ' +
      'economy; business class needs the written consent of your head of department. Where the train takes under ' +
      'five hours, take the train instead of the plane. Seat reservation and one checked bag are included. Miles ' +
      'you collect are yours.',
  },
  {
    slug: 'booking-trips',
    title: 'Arranging a business trip',
    category: 'travel',
    published: true,
    body:
      'Enter the trip in the travel desk form at least ten working days ahead, with the purpose and the cost ' +
      'centre. Your manager approves it, then the travel desk books tickets and rooms and pays for them directly. ' +
      'Bookings you make yourself are reimbursed only if the travel desk was closed. Urgent matters: travel@ or ' +
      'extension 440.',
  },
  {
    slug: 'hotel-limits',
    title: 'Hotel price limits',
    category: 'travel',
    published: true,
    body:
      'A room may cost up to 130 euros a night with breakfast, or 180 euros in capital cities and during trade ' +
      'fairs. The travel desk knows hotels with our rate within both limits. If you stay with friends or family ' +
      'instead you may claim 30 euros a night for a gift. Minibar, films and laundry for stays under five nights ' +
      'are private.',
  },
  {
    slug: 'daily-allowance',
    title: 'Daily meal allowance on trips',
    category: 'travel',
    published: true,
    body:
      'For a trip of more than eight hours you receive 14 euros, for each full day away 28 euros. If breakfast is ' +
      'included in the room, 5.60 euros are deducted; a lunch or dinner someone else pays deducts 11.20 euros. You ' +
      'need no receipts. Ledger works out the amount from the times of departure and return.',
  },
  {
    slug: 'rail-travel',
    title: 'Train journeys',
    category: 'travel',
    published: true,
    body:
      'Second class is the rule; first class is allowed for journeys of more than three hours or if it costs less. ' +
      'If you travel at least once a month, the travel desk buys you a discount card for a year. Time on the train ' +
      'counts as working hours if you work. Delays over an hour: claim compensation yourself and keep it.',
  },
  {
    slug: 'rental-cars',
    title: 'Rental cars',
    category: 'travel',
    published: true,
    body:
      'Hire a car only if public transport would take more than twice as long. Compact class is the standard, and ' +
      'the insurance with no excess is already part of our contract, so decline any extra at the desk. Only the ' +
      'persons named in the booking may drive. Parking fines and speeding tickets are yours to pay.',
  },
  {
    slug: 'mileage',
    title: 'Using your own car',
    category: 'travel',
    published: true,
    body:
      'For trips in your private car we pay 0.35 euros per kilometre, and 0.05 euros more for each colleague you ' +
      'take along. Enter the start, the destination and the distance in Ledger under Mileage within 30 days. ' +
      'Damage is covered up to 1,000 euros. The daily way to your office is not a business trip.',
  },
  {
    slug: 'visas',
    title: 'Visas and passports',
    category: 'travel',
    published: true,
    body:
      'The travel desk applies for business visas and pays the fee, if you tell them eight weeks before departure. ' +
      'Your passport must be valid for six months after your return. We pay for a faster passport renewal if the ' +
      'trip was announced late by us. Never enter a country for work on a tourist visa.',
  },
  {
    slug: 'illness-abroad',
    title: 'Falling ill on a trip',
    category: 'travel',
    published: true,
    body:
      'Everyone on a business trip abroad is insured for doctors, hospital and transport home. Call the assistance ' +
      'number on the travel card, which is answered around the clock, before any hospital stay. Pay smaller bills ' +
      'yourself and send them to travel@ within 60 days. Private days before or after the trip are covered as ' +
      'well, up to five of them.',
  },
  {
    slug: 'combining-holiday',
    title: 'Adding private days to a trip',
    category: 'travel',
    published: true,
    body:
      'You may add up to five private days before or after a business trip. The travel desk compares the fares; if ' +
      'the ticket becomes more expensive, you pay the difference. Rooms and meals on the private days are yours to ' +
      'pay. Enter the days as holiday in Roster before the tickets are bought.',
  },
  {
    slug: 'conferences',
    title: 'Speaking at a conference',
    category: 'travel',
    published: true,
    body:
      'If your talk is accepted we pay the ticket, the journey and the room, and none of it counts against your ' +
      'learning budget. Send the abstract to the communications team before you submit it; they answer within ' +
      'three working days. You have two working days for preparing the talk. Fees from the organiser go to a ' +
      'charity you choose.',
  },
  {
    slug: 'carbon-budget',
    title: 'Carbon budget for journeys',
    category: 'travel',
    published: false,
    body:
      'From next year each department is to have a yearly carbon budget for flights, 20 % below the average of the ' +
      'last three years. The travel desk would show the emissions with every offer and report the sum each ' +
      'quarter. A department that has used up its budget would need the consent of the finance director.',
  },
  {
    slug: 'lost-devices',
    title: 'Lost or missing devices',
    category: 'security',
    published: true,
    body:
      'If your laptop or phone was stolen or left behind, on a train for instance, call the security line on ' +
      'extension 112 at once, day or night; do not wait until you are sure. We lock and wipe it remotely within 15 ' +
      'minutes. Then report the theft to the police and send the reference to security@. You will never be blamed ' +
      'for calling early.',
  },
  {
    slug: 'phishing',
    title: 'Reporting phishing',
    category: 'security',
    published: true,
    body:
      'Do you suspect that a message is a fraud, such as a mail that asks for your login or for a payment? Press ' +
      'the Report button in the mail program; do not reply, click or forward. The security team answers within one ' +
      'hour on working days. If you have already typed your credentials, call extension 112 straight away.',
  },
  {
    slug: 'passwords',
    title: 'Passwords',
    category: 'security',
    published: true,
    body:
      'Use the password manager we provide for every account, with a different password of at least 16 characters ' +
      'for each. You have to remember only one: the passphrase of the manager itself, five random words or more. ' +
      'We do not force regular changes; change a password only if it may have leaked. Never share one in chat.',
  },
  {
    slug: 'security-keys',
    title: 'Security keys',
    category: 'security',
    published: true,
    body:
      'You receive two hardware keys on your first day and need one for every sign-in at Gatehouse, our sign-in ' +
      'page. Keep the second at home. If both are gone, come to the service desk with an identity card or make a ' +
      'video call with your manager present. Codes by text message are switched off for everyone.',
  },
  {
    slug: 'badges',
    title: 'Badges and tailgating',
    category: 'security',
    published: true,
    body:
      'Wear your badge where it can be seen and hold it to every reader, also when a door is open. Ask people ' +
      'without one whom they are visiting and walk them to reception. A forgotten badge is replaced by a day ' +
      'badge; one you cannot find is blocked at reception, and the new one is free the first time and 15 euros ' +
      'after that.',
  },
  {
    slug: 'data-classes',
    title: 'Data classification',
    category: 'security',
    published: true,
    body:
      'There are four classes: public, internal, confidential and restricted. Anything without a label is ' +
      'internal. Customer data is always confidential; health data, payroll data and keys are restricted. ' +
      'Confidential data may be shared with named persons, restricted data only within systems on the approved ' +
      'list. The author of a document sets its class.',
  },
  {
    slug: 'software-installation',
    title: 'Installing software',
    category: 'security',
    published: true,
    body:
      'Programs in the catalogue on your laptop can be installed without asking. For anything else send the ' +
      'Software Form to the service desk; the security team checks the licence and the maker within five working ' +
      'days. Browser extensions count as software. Local administrator rights are given for at most eight hours at ' +
      'a time.',
  },
  {
    slug: 'usb-sticks',
    title: 'USB sticks and external drives',
    category: 'security',
    published: true,
    body:
      'Storage that you plug in is blocked on all laptops. If a customer can deliver data no other way, borrow an ' +
      'encrypted drive from the service desk for up to five days. Hand in sticks you find in the car park or the ' +
      'corridor; never plug them in to see whose they are.',
  },
  {
    slug: 'public-wifi',
    title: 'Working on public networks',
    category: 'security',
    published: true,
    body:
      'In cafes, hotels and trains use the hotspot of your phone if you can. On any other network the tunnel on ' +
      'your laptop starts by itself; if its icon is red, stop working. Fit the privacy filter to your screen in ' +
      'public places, and hold no calls about customers there.',
  },
  {
    slug: 'leak-reporting',
    title: 'Personal data breaches',
    category: 'security',
    published: true,
    body:
      'If personal data has reached the wrong person, even by a mistyped address, tell privacy@ within the hour. ' +
      'The data protection officer, Mr Okoye, decides whether the authority must be informed, for which the law ' +
      'gives us 72 hours. Write down what happened, when, and whose data it was. Do not contact those affected ' +
      'yourself.',
  },
  {
    slug: 'security-training',
    title: 'Security training',
    category: 'security',
    published: true,
    body:
      'Everyone completes the 40-minute course in the first two weeks and again each September. Engineers take an ' +
      'extra half day on secure coding once a year. After two reminders your accounts are limited to mail and ' +
      'Roster until you have finished. Results are pass or fail, and only the fact that you passed is stored.',
  },
  {
    slug: 'ai-assistants',
    title: 'Using AI assistants',
    category: 'security',
    published: false,
    body:
      'Assistants on the approved list may be used with internal data; confidential data only in those marked with ' +
      'a green dot, restricted data in none. Check what they produce as you would check the work of a new ' +
      'colleague. Say so in the review when a larger part of a change was generated. The list is kept by the ' +
      'security team.',
  },
  {
    slug: 'on-call-rota',
    title: 'On-call rota',
    category: 'engineering',
    published: true,
    body:
      'Two engineers per product area are on call for one week, Monday 10:00 to Monday 10:00: a first and a ' +
      'second. When the site goes down at night, Beacon, our alarm, wakes the first by phone; if nobody has ' +
      'answered within ten minutes it wakes the second, then the duty manager. After a night with a page you start ' +
      'work at noon. You are asked for at most one week in six.',
  },
  {
    slug: 'code-review',
    title: 'Code review',
    category: 'engineering',
    published: true,
    body:
      'Every change needs the approval of one other engineer, and of two if it touches payments or sign-in. ' +
      'Reviewers give a first answer within four working hours. Keep a change under 400 lines; larger ones may be ' +
      'sent back unread. Comments that need not be fixed start with the word Nit. The author merges, not the ' +
      'reviewer.',
  },
  {
    slug: 'deployments',
    title: 'Deployments',
    category: 'engineering',
    published: true,
    body:
      'The main branch is deployed automatically about twelve times a day, first to 5 % of the servers and to the ' +
      'rest after 20 minutes without alarms. There are no deployments after 16:00 on Fridays, nor from 20 December ' +
      'to 2 January. Exceptions are granted by the duty manager in the channel #release.',
  },
  {
    slug: 'rollback',
    title: 'Rolling back a release',
    category: 'engineering',
    published: true,
    body:
      'Whoever notices that a release does harm may roll it back, without asking. Press Revert on the release ' +
      'page; the previous version is back within four minutes. Say so in #release and only then look for the ' +
      'cause. Database migrations are written so that the version before them still works, so they stay in place.',
  },
  {
    slug: 'incident-review',
    title: 'Reviews after an incident',
    category: 'engineering',
    published: true,
    body:
      'For each incident of severity 1 or 2 the incident lead writes a review within five working days: timeline, ' +
      'impact, causes, and at most five actions with an owner and a date. We name systems and decisions, never ' +
      'culprits. The review is read aloud in the Thursday meeting at 15:00, and anybody may come.',
  },
  {
    slug: 'severity-levels',
    title: 'Incident severity levels',
    category: 'engineering',
    published: true,
    body:
      'Severity 1: the product is unusable for most customers or data is lost. Severity 2: an important function ' +
      'fails for many. Severity 3: a nuisance with a workaround. The first engineer who looks at the incident sets ' +
      'the level, and the incident lead may change it. Severity 1 opens a call for everyone needed, day or night.',
  },
  {
    slug: 'feature-flags',
    title: 'Feature flags',
    category: 'engineering',
    published: true,
    body:
      'New behaviour that users can see goes behind a flag that is off by default. Each flag has an owner and an ' +
      'expiry date at most 90 days away, after which the build fails until it is removed. Turn a flag on for ' +
      'employees first, for 10 % of customers next, then for all. Flags must not guard security fixes.',
  },
  {
    slug: 'dependencies',
    title: 'Adding a library',
    category: 'engineering',
    published: true,
    body:
      'Before you add a third-party library, check that it had a release in the last twelve months, has more than ' +
      'one maintainer, and carries a licence on the green list. Licences on the amber list need the legal team. ' +
      'Pin the exact version. A bot proposes updates every Monday, and the owning team merges them within two ' +
      'weeks.',
  },
  {
    slug: 'testing',
    title: 'Test expectations',
    category: 'engineering',
    published: true,
    body:
      'Each fix comes with a test that failed before it. The whole suite has to finish within twelve minutes. A ' +
      'test that fails at random is moved to quarantine the same day, and its team has two weeks to mend or delete ' +
      'it. We set no target for coverage, but a fall of more than one point has to be explained in the review.',
  },
  {
    slug: 'design-docs',
    title: 'Design documents',
    category: 'engineering',
    published: true,
    body:
      'Write a design document when work will take more than three weeks or affects more than two teams. Use the ' +
      'template: problem, options, choice, risks; six pages at most. It is open for comments for five working ' +
      'days, then the author decides and records why. Finished documents are numbered and never edited, only ' +
      'superseded.',
  },
  {
    slug: 'staging-data',
    title: 'Data in test environments',
    category: 'engineering',
    published: true,
    body:
      'Copies of production data are not allowed outside production. Test environments are filled every night by a ' +
      'generator that makes up customers and orders. If you need a rare case, add a recipe to the generator. To ' +
      'look at a real case, request read access for two hours with the Access Form; every query is logged.',
  },
  {
    slug: 'tech-debt',
    title: 'Time for technical debt',
    category: 'engineering',
    published: false,
    body:
      'Every sixth week is to be free of planned features. In that week teams remove old flags, upgrade libraries, ' +
      'speed up tests and tidy documents, in an order they choose themselves. Product managers may not schedule ' +
      'meetings in it except for severity 1 incidents. Each team shows its result on the last Friday.',
  },
  {
    slug: 'pets',
    title: 'Pets in the building',
    category: 'office',
    published: true,
    body:
      'Dogs are welcome at Harbour House on the second floor, at most four a day; at Mill Lane animals are not ' +
      'allowed because of allergies. Bring your dog only after a trial day agreed with the office team, with proof ' +
      'of vaccination and liability insurance. It stays on a lead outside your room. Book its place in the Dog ' +
      'Calendar.',
  },
  {
    slug: 'opening-hours',
    title: 'Access hours',
    category: 'office',
    published: true,
    body:
      'Both buildings are open from 7:00 to 20:00, Monday to Friday. With your badge you can also enter Harbour ' +
      'House from 6:00 to 23:00 and at weekends. The alarm is armed at 23:00. If you have to stay longer, call the ' +
      'guard on extension 100 before then. Mill Lane is locked outside opening times.',
  },
  {
    slug: 'desk-booking',
    title: 'Reserving a desk',
    category: 'office',
    published: true,
    body:
      'Desks are shared. Reserve one on the floor plan in Roster up to 14 days ahead; those not taken by 10:30 ' +
      'become free again. Each team has a neighbourhood with enough desks for two thirds of its people. Leave the ' +
      'desk empty in the evening and put your things into a locker. Fixed desks are given for medical reasons.',
  },
  {
    slug: 'remote-work',
    title: 'Working from home',
    category: 'office',
    published: true,
    body:
      'You may work from home up to three days a week; each team chooses one day on which everybody comes in. New ' +
      'starters come in four days a week during their first month. Be reachable from 10:00 to 15:00. Those with a ' +
      'contract marked fully remote come to Harbour House once a quarter, at our cost.',
  },
  {
    slug: 'working-abroad',
    title: 'Working from another country',
    category: 'office',
    published: true,
    body:
      'You may work from another country of the European Union for up to 30 days per calendar year. Send the ' +
      'Abroad Form to the people team three weeks before; they arrange the social insurance certificate. Outside ' +
      'the Union it is not possible, for reasons of tax and data protection. Days of holiday do not count.',
  },
  {
    slug: 'home-equipment',
    title: 'Furniture for your home desk',
    category: 'office',
    published: true,
    body:
      'Once in four years we pay up to 450 euros for a chair, a table and a lamp for your home. A monitor, ' +
      'keyboard and headset come from the service desk and remain ours. Buy the furniture yourself and upload the ' +
      'invoice in Ledger under Home Desk. If you leave within twelve months, you pay half of it back.',
  },
  {
    slug: 'meeting-rooms',
    title: 'Meeting rooms',
    category: 'office',
    published: true,
    body:
      'Rooms are booked from your calendar for at most two hours. A room is released if nobody has touched the ' +
      'screen at its door ten minutes after the start. Rooms named after birds have video equipment; those named ' +
      'after trees do not. The Heron room seats 40 and is given out by reception.',
  },
  {
    slug: 'guests',
    title: 'Receiving guests',
    category: 'office',
    published: true,
    body:
      'Register guests in the visitor form by 17:00 on the day before. They sign in at reception, receive a paper ' +
      'badge and the guest network code, and have to be accompanied at all times. Children may visit for up to two ' +
      'hours. Parties of more than ten need the consent of the office team a week ahead.',
  },
  {
    slug: 'parking',
    title: 'Car parking',
    category: 'office',
    published: true,
    body:
      'Harbour House has 38 parking spaces and Mill Lane twelve. Reserve one in Roster up to seven days ahead, at ' +
      'most three days a week. Two spaces at each site are kept for disabled drivers and need no reservation. Six ' +
      'spaces at Harbour House have chargers; move the car within four hours. Charging costs 0.30 euros per ' +
      'kilowatt hour.',
  },
  {
    slug: 'fire-alarm',
    title: 'Fire alarm and evacuation',
    category: 'office',
    published: true,
    body:
      'When the siren sounds, leave at once by the nearest stairs, never by the lift, and leave your things. The ' +
      'meeting point of Harbour House is the fountain, that of Mill Lane the tram stop. Floor wardens wear yellow ' +
      'vests and count people. The alarm is tested on the first Wednesday of the month at 11:00, for 30 seconds.',
  },
  {
    slug: 'kitchen',
    title: 'Kitchens and coffee',
    category: 'office',
    published: true,
    body:
      'Coffee, tea, milk, oat milk and fruit are free on every floor. Put cups into the dishwasher; whoever finds ' +
      'it full starts it. Food in the fridge carries your name and a date, and is thrown away on Friday at 16:00. ' +
      'Report a broken machine with the code on its front. Beer is served from 17:00 on Thursdays.',
  },
  {
    slug: 'quiet-floor',
    title: 'Quiet floor',
    category: 'office',
    published: false,
    body:
      'The fourth floor of Harbour House is to become a floor without calls and conversation, from September, for ' +
      'a trial of three months. Phones are on silent, and six booths near the stairs remain for calls. Desks there ' +
      'can be reserved for one day at a time. The office team asks everyone for an opinion in December.',
  },
  {
    slug: 'refunds',
    title: 'Refunds and credit notes',
    category: 'support',
    published: true,
    body:
      'If a customer wants their money back, support agents may return up to 200 euros by themselves within 30 ' +
      'days of the payment. Up to 2,000 euros the support lead decides, above that the finance director. The money ' +
      'goes back to the card or account it came from and arrives in five working days. Note the reason code on the ' +
      'ticket.',
  },
  {
    slug: 'reply-targets',
    title: 'First response targets',
    category: 'support',
    published: true,
    body:
      'Urgent tickets receive an answer within 30 minutes, high ones within two hours, normal ones within eight ' +
      'and low ones within 24, counted in support hours; urgent ones of Premium customers count around the clock. ' +
      'An automatic confirmation does not count. The clock stops while we wait for the customer. The queue turns ' +
      'orange when three quarters of the time is gone.',
  },
  {
    slug: 'ticket-priority',
    title: 'Setting the priority of a ticket',
    category: 'support',
    published: true,
    body:
      'Urgent: the customer cannot work at all. High: an important task is blocked. Normal: something is wrong, ' +
      'but there is another way. Low: a question or a wish. The agent sets it from the facts, not from the tone of ' +
      'the message. Customers on the Premium plan are raised by one step, except to Urgent.',
  },
  {
    slug: 'escalation',
    title: 'Handing a ticket to engineering',
    category: 'support',
    published: true,
    body:
      'If you cannot solve a ticket after two hours of work, fill in the Escalation Form with steps to reproduce, ' +
      'account number and log extract. It goes to the team that owns the function, which answers within one ' +
      'working day. You remain the contact of the customer and write to them at least every second day.',
  },
  {
    slug: 'angry-customers',
    title: 'Dealing with abusive callers',
    category: 'support',
    published: true,
    body:
      'Give one clear warning if a caller insults or threatens you. If it goes on, end the call with the sentence ' +
      'on the card at your desk, and write a note in the account. You then have a break of 15 minutes. The support ' +
      'lead calls back. After two such calls the account is served only in writing.',
  },
  {
    slug: 'identity-check',
    title: 'Verifying who is calling',
    category: 'support',
    published: true,
    body:
      'Before you talk about an account, the caller names the customer number and the code shown on their settings ' +
      'page. Without the code we call back on the number in the account. Never confirm whether somebody has an ' +
      'account. Changing the owner of an account always needs a signed letter and approval by the support lead.',
  },
  {
    slug: 'support-hours',
    title: 'Support opening times',
    category: 'support',
    published: true,
    body:
      'Telephone support is open from 8:00 to 18:00 on working days, chat from 8:00 to 22:00 every day. Outside ' +
      'these times only urgent tickets from Premium customers reach a person, through Beacon. We answer in ' +
      'English, German and Spanish; for other languages use the translation button and say so to the customer.',
  },
  {
    slug: 'account-deletion',
    title: 'Deleting customer data on request',
    category: 'support',
    published: true,
    body:
      'A person who wants their data erased writes from the address in the account or proves who they are. Open a ' +
      'ticket of the type Erasure; the data disappears from the product within seven days and from backups within ' +
      '35. Invoices are kept for ten years because the law demands it. Confirm in writing when it is done.',
  },
  {
    slug: 'status-page',
    title: 'Updating the status page',
    category: 'support',
    published: true,
    body:
      'The support lead on duty publishes a note within 15 minutes of a severity 1 or 2 incident, and a new one ' +
      'every 30 minutes until it is over. Say what does not work and for whom, in two sentences, without guessing ' +
      'causes. The duty manager reads the first note before it goes out. Close it with one sentence on what was ' +
      'repaired.',
  },
  {
    slug: 'satisfaction-survey',
    title: 'Satisfaction survey',
    category: 'support',
    published: true,
    body:
      'One day after a ticket is closed the customer is asked one question with five faces. The goal is 92 % for ' +
      'the two best faces in each month. Every answer with one of the two worst is read by the support lead, who ' +
      'calls the customer within three days. Results of single agents are shown only to themselves and their lead.',
  },
  {
    slug: 'saved-replies',
    title: 'Saved replies',
    category: 'support',
    published: false,
    body:
      'The library holds about 180 prepared texts in three languages. Adapt the first and last sentence; do not ' +
      'send one unread. Anyone may suggest a text in #support-library, and two editors publish new ones each ' +
      'Wednesday. A text that nobody has used for six months is archived.',
  },
  {
    slug: 'weekend-shifts',
    title: 'Weekend chat shifts',
    category: 'support',
    published: false,
    body:
      'Chat at weekends is to be staffed by three agents per day, in shifts from 8:00 to 15:00 and from 15:00 to ' +
      '22:00. Nobody would have more than one weekend in four, and two weekdays off follow. The plan comes out six ' +
      'weeks ahead. Swapping is allowed until 48 hours before the shift, if the lead is told.',
  },
  {
    slug: 'approval-limits',
    title: 'Approval limits',
    category: 'finance',
    published: true,
    body:
      'Who must sign off a purchase depends on the price. You may buy for up to 100 euros without asking; up to ' +
      '2,500 euros your manager approves, up to 20,000 euros the head of department, and anything more expensive ' +
      'the finance director. Contracts count with the sum of their whole term. Splitting an order to stay below a ' +
      'limit is forbidden.',
  },
  {
    slug: 'expense-claims',
    title: 'Claiming expenses',
    category: 'finance',
    published: true,
    body:
      'If you paid for something we needed for work, photograph the receipt and upload it in Ledger, our finance ' +
      'system, within 30 days, with the purpose and the cost centre. Claims approved by Wednesday are paid on ' +
      'Friday of the same week. If a receipt is lost, fill in the Own Receipt Form; this is accepted up to 50 ' +
      'euros and three times a year.',
  },
  {
    slug: 'company-card',
    title: 'Company credit card',
    category: 'finance',
    published: true,
    body:
      'Employees who spend more than 300 euros a month for us can have a card; ask with the Card Form. The limit ' +
      'is 2,000 euros a month unless the finance director raises it. Upload each receipt within seven days, or the ' +
      'card pauses. Private use is not allowed, nor is drawing cash. Cards are returned on the last working day.',
  },
  {
    slug: 'new-suppliers',
    title: 'Setting up a new supplier',
    category: 'finance',
    published: true,
    body:
      'Send the Supplier Form with the tax number, the bank account and the register extract to purchasing@. They ' +
      'check sanctions lists and call the supplier on a number from the public register. This takes four working ' +
      'days. Orders before that are not paid. Suppliers without an order for 24 months are closed and have to be ' +
      'checked again.',
  },
  {
    slug: 'invoices-in',
    title: 'Paying supplier invoices',
    category: 'finance',
    published: true,
    body:
      'Suppliers send invoices as PDF to invoices@ with the order number; without one they are returned. The ' +
      'person who ordered confirms the delivery in Ledger within five working days. We pay after 30 days, on the ' +
      'Tuesday run. An earlier date is possible for a discount of 2 % or more. Reminders are answered by accounts ' +
      'payable.',
  },
  {
    slug: 'invoicing-customers',
    title: 'Billing customers',
    category: 'finance',
    published: true,
    body:
      'Subscriptions are invoiced on the first of the month in advance, projects at the end of the month by hours. ' +
      'Payment is due in 14 days. Reminders go out after 21, 35 and 49 days; after the third the account manager ' +
      'calls, and after 63 days access becomes read-only. Only the billing team may change an invoice.',
  },
  {
    slug: 'yearly-budget',
    title: 'Annual budget planning',
    category: 'finance',
    published: true,
    body:
      'Heads of department enter their plan for people, tools and travel in Ledger by 30 September. Finance asks ' +
      'questions in October, the board decides in November, and the result is published by 10 December. In June ' +
      'there is one correction. A budget not used in one quarter moves to the next, but not into the next year.',
  },
  {
    slug: 'cost-centres',
    title: 'Cost centres',
    category: 'finance',
    published: true,
    body:
      'A cost centre has four digits: the first stands for the country, the second for the department, the last ' +
      'two for the team. Yours is in Roster under Employment. Costs of several teams are split in Ledger by ' +
      'percentage. New numbers are made on the first of a month; the controller, Ms Brandt, needs the request five ' +
      'days before.',
  },
  {
    slug: 'client-gifts',
    title: 'Gifts and invitations',
    category: 'finance',
    published: true,
    body:
      'You may accept or give presents worth up to 35 euros per person and year from or to business partners. ' +
      'Anything above is declined politely or handed to the compliance officer, who raffles it for charity. Public ' +
      'officials receive nothing, not even a coffee. Meals with business partners are fine up to 60 euros a head; ' +
      'name all guests on the receipt.',
  },
  {
    slug: 'team-events',
    title: 'Money for team events',
    category: 'finance',
    published: true,
    body:
      'Each team has 30 euros per head and quarter for going out together. Two quarters can be saved up. The team ' +
      'lead pays and claims in Ledger under Team Event with a list of those present. The summer party and the ' +
      'winter dinner are paid by the company and do not count. Alcohol may be at most a third of the bill.',
  },
  {
    slug: 'month-end',
    title: 'Closing the month',
    category: 'finance',
    published: true,
    body:
      'The books are closed on the fourth working day. Confirm deliveries, hours and claims by 12:00 on the last ' +
      'working day of the month; what comes later falls into the next. Report services you received without an ' +
      'invoice over 1,000 euros to the controller. Reports for each cost centre are ready on the sixth working ' +
      'day.',
  },
  {
    slug: 'subscriptions-review',
    title: 'Review of software subscriptions',
    category: 'finance',
    published: false,
    body:
      'Twice a year, in May and November, finance sends each owner a list of the software subscriptions on their ' +
      'cost centre with the number of seats and of users. Seats not used for 60 days are cancelled unless the ' +
      'owner objects within two weeks. A subscription without an owner ends at its next renewal date.',
  },
]
