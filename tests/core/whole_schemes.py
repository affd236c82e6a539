"""Two schemes that between them use every kind of aspect, every condition and every part of an item."""

ONE_ANSWER = """\
key: dish
title: {en: A dish, ja: 料理}
shown:
  - article
  - {part: documents, title: Cookbooks}
  - question
  - choices
  - reference_answers
  - answer
  - rationale
judgments_per_item: 3
aspects:
  - key: taste
    kind: choice
    title: How does it taste?
    display: row
    scale:
      level: ordinal
      better: high
      choices:
        - {key: good, label: Good, number: 2}
        - {key: fair, label: Fair, number: 1}
        - {key: bad, label: Bad, number: 0}
  - key: overall
    kind: stars
    title: And over all?
    points: 4
    labels: {1: Poor, 4: Great}
  - key: warm
    kind: yes_no
    title: Is it warm?
    better: "yes"
    not_applicable: It is ice cream
  - key: salt
    kind: range
    title: How salty is it?
    low: -1
    high: 1
    step: 0.5
    best: 0
    labels: {-1: bland, 0: right, 1: salty}
  - key: right
    kind: item_choice
    title: Which choice does it support?
    none_label: None of them
  - key: flaws
    kind: several
    title: What is wrong?
    none_label: Nothing
    shown_when: {any: [{aspect: taste, at_most: 1}, {aspect: warm, is: "no"}]}
    choices:
      - {key: burnt, label: Burnt}
      - {key: raw, label: Raw, number: 1}
  - key: lines
    kind: sentences
    title: Where does it say so?
    at_least_one_when: {all: [{aspect: taste, is: bad}, {not: {aspect: flaws, is: none}}]}
  - key: why
    kind: text
    title: Why?
    min_length: 3
    max_length: 40
    explains: [taste, warm]
    required_when: {aspect: salt, is_not: ["0"]}
  - key: remark
    kind: text
    title: Anything else?
    required: false
    shown_when: {aspect: why, answered: true}
rescale:
  - {aspect: taste, explained_by: why}
composites:
  - {key: quality, title: Quality, parts: [taste, salt], predicts: overall}
examples:
  - title: Too salty
    sentences: [One., Two.]
    documents: [{title: A book, sentences: [Three.]}]
    anchor: 2
    question: Is it good?
    choices: [Good, Bad]
    answer: It is.
    rationale: I like it.
    reference_answers: [It is not.]
    values: {taste: fair, overall: "3", warm: "yes", salt: "0.5", right: a, flaws: [], lines: [1, "R1:1"], why: Salty.}
    comment: The salt decides.
"""

GROUP = """\
key: duel
title: Which summary?
shown: [question, documents, candidates]
aspects:
  - key: truth
    kind: stars
    title: True?
    per: candidate
  - key: proof
    kind: sentences
    title: Where?
    per: candidate
    none_label: ""
    shown_when: {aspect: truth, at_most: 2}
  - key: preferred
    kind: best_of
    title: Which is best?
    forced_label: None is good, but if I must choose
  - key: why
    kind: text
    title: Why?
    explains: [preferred]
    required_when: {aspect: preferred, answered: true}
"""
