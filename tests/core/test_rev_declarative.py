"""Questions and answers as declarative sentences, each with the sentence that one expects."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.core.methods.rev.declarative import JOINED, declare

HELD_OUT = Path(__file__).parents[2] / "benchmarks" / "rev_rationales.tsv"
EXPECTED = [
    (
        "Where can personal mushrooms be kept fresh?",
        "refrigerator",
        "Personal mushrooms can be kept fresh in the refrigerator.",
    ),
    ("Where do cows graze?", "meadow", "Cows graze in the meadow."),
    ("Where would you find a jellyfish?", "in warm seas", "You would find a jellyfish in warm seas."),
    ("Where is the Eiffel Tower?", "Paris", "The Eiffel Tower is in Paris."),
    ("Where did the travellers sleep?", "in a barn", "The travellers slept in a barn."),
    ("Where should a child wait for its parents?", "school", "A child should wait for its parents at school."),
    ("Where does the cook go to buy fish?", "market", "The cook goes to the market to buy fish."),
    ("Who painted this ceiling?", "an old monk", "An old monk painted this ceiling."),
    ("Who lives in the white house?", "my aunts", "My aunts live in the white house."),
    ("Who is the tallest girl in the class?", "Maria", "Maria is the tallest girl in the class."),
    ("Who did the mayor thank?", "the nurses", "The mayor thanked the nurses."),
    ("Who can open the safe?", "the manager", "The manager can open the safe."),
    ("Who was sitting under the tree?", "two old men", "Two old men were sitting under the tree."),
    ("Whose bicycle is this?", "Peter", "This is Peter's bicycle."),
    ("What is the capital of Norway?", "Oslo", "The capital of Norway is Oslo."),
    ("What is a group of wolves called?", "a pack", "A group of wolves is called a pack."),
    ("What are windows made of?", "glass", "Windows are made of glass."),
    ("What is in the basket?", "apples", "Apples are in the basket."),
    ("What makes a kite fly?", "the wind", "The wind makes a kite fly."),
    ("What do horses like to eat?", "carrots", "Horses like to eat carrots."),
    ("What does the gardener need to cut the grass?", "a mower", "The gardener needs a mower to cut the grass."),
    ("What did the boy break?", "the window", "The boy broke the window."),
    ("What can you see through a microscope?", "bacteria", "You can see bacteria through a microscope."),
    ("What would a hungry bear do?", "look for berries", "A hungry bear would look for berries."),
    ("What could you do with leftover bread?", "toast it", "You could toast leftover bread."),
    ("What happens to butter in a hot pan?", "it melts", "Butter melts in a hot pan."),
    ("What happens when you mix blue and yellow?", "you get green", "You get green when you mix blue and yellow."),
    ("What is an umbrella used for?", "keeping dry", "An umbrella is used for keeping dry."),
    ("What is used to measure time?", "a clock", "A clock is used to measure time."),
    ("What colour are ripe bananas?", "yellow", "Ripe bananas are yellow."),
    ("What time does the train leave?", "at noon", "The train leaves at noon."),
    ("What kind of music does your sister play?", "jazz", "Your sister plays jazz."),
    ("What type of bird cannot fly?", "an ostrich", "An ostrich cannot fly."),
    ("Which planet is the largest?", "Jupiter", "Jupiter is the largest."),
    ("Which language do people speak in Brazil?", "Portuguese", "People speak Portuguese in Brazil."),
    ("Which animals sleep upside down?", "bats", "Bats sleep upside down."),
    ("Which of these floats on water?", "a cork", "A cork floats on water."),
    ("In which city was Mozart born?", "Salzburg", "Mozart was born in Salzburg."),
    ("When does the shop close?", "6 pm", "The shop closes at 6 pm."),
    ("When did the war end?", "1945", "The war ended in 1945."),
    ("When do you wear gloves?", "when it is cold", "You wear gloves when it is cold."),
    ("Why did the teacher smile?", "the children sang", "The teacher smiled because the children sang."),
    (
        "Why do cars need petrol?",
        "because petrol drives the engine",
        "Cars need petrol because petrol drives the engine.",
    ),
    ("Why does he run?", "to catch the bus", "He runs to catch the bus."),
    ("Why was the match cancelled?", "heavy rain", "The match was cancelled because of heavy rain."),
    ("How do people send parcels?", "by post", "People send parcels by post."),
    ("How can you clean a window?", "use vinegar", "You can clean a window by using vinegar."),
    ("How did she open the box?", "carefully", "She opened the box carefully."),
    ("How many legs does an ant have?", "six", "An ant has six legs."),
    ("How many players are in a football team?", "eleven", "Eleven players are in a football team."),
    ("How much water should a person drink?", "two litres", "A person should drink two litres of water."),
    ("How old is the church?", "800 years", "The church is 800 years old."),
    ("How long does it take to boil an egg?", "five minutes", "It takes five minutes to boil an egg."),
    ("How often do buses run?", "every hour", "Buses run every hour."),
    ("Is the earth flat?", "no", "The earth is not flat."),
    ("Are tigers striped?", "yes", "Tigers are striped."),
    ("Can most birds fly?", "yes", "Most birds can fly."),
    ("Does a baby need milk?", "yes", "A baby needs milk."),
    ("Do snakes have legs?", "no", "Snakes do not have legs."),
    ("Did the old king die in battle?", "yes", "The old king died in battle."),
    ("Has the train left the station?", "no", "The train has not left the station."),
    (
        "Would you eat a raw potato?",
        "no, because it tastes of soap",
        "You would not eat a raw potato, because it tastes of soap.",
    ),
    ("Isn't honey sweet?", "yes", "Honey is sweet."),
    ("Do cats prefer milk or water?", "milk", "Cats prefer milk."),
    ("Which is heavier, a stone or a feather?", "a stone", "A stone is heavier."),
    ("The largest ocean is the ___.", "Pacific", "The largest ocean is the Pacific."),
    ("A person who bakes bread is a ___.", "baker", "A person who bakes bread is a baker."),
    ("She was eating an ___ for breakfast.", "pear", "She was eating a pear for breakfast."),
    ("___ is the largest mammal.", "the blue whale", "The blue whale is the largest mammal."),
    ("Complete the sentence: A cow gives us ____", "milk", "A cow gives us milk."),
    ("An injection can lead to your own what?", "death", "An injection can lead to your own death."),
    (
        "If you leave milk in the sun, what will it become?",
        "sour",
        "If you leave milk in the sun, it will become sour.",
    ),
    (
        "When you want to cook pasta, what do you need?",
        "boiling water",
        "When you want to cook pasta, you need boiling water.",
    ),
    ("Name the longest river in Africa.", "the Nile", "The longest river in Africa is the Nile."),
    ("Name a country in South America.", "Peru", "Peru is a country in South America."),
    ("Explain why the sky is blue.", "air scatters blue light", "The sky is blue because air scatters blue light."),
    (
        "Tom dropped his phone into the lake. Where is it now?",
        "at the bottom",
        "Tom dropped his phone into the lake. It is now at the bottom.",
    ),
    ("The dog is wet. Why did it shake itself?", "to get dry", "The dog is wet. It shook itself to get dry."),
    (
        "What would you use to dig a hole? A) a spade B) a fork C) a cup",
        "A) a spade",
        "You would use a spade to dig a hole.",
    ),
    ("To whom did the queen give the medal?", "the sailor", "The queen gave the medal to the sailor."),
]


@pytest.mark.parametrize(("question", "answer", "sentence"), EXPECTED)
def test_question_and_answer_become_the_expected_sentence(question: str, answer: str, sentence: str) -> None:
    assert declare(question, answer).text == sentence


def test_sentences_that_the_rules_were_not_written_for() -> None:
    """The share that docs/reference/rev.md tells, from sentences that were written before the rules."""
    with HELD_OUT.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    right = sum(declare(row["question"], row["answer"]).text == row["restated"] for row in rows)

    assert len(rows) >= 200
    assert right / len(rows) >= 0.96


@pytest.mark.parametrize(
    ("answer", "rest"), [("B", "a fork"), ("(b)", "a fork"), ("2", "a fork"), ("B) a fork", "a fork")]
)
def test_a_choice_may_be_named_by_its_letter_or_number(answer: str, rest: str) -> None:
    found = declare("What would you use to eat cake?", answer, choices=["a spade", "a fork", "a cup"])

    assert found.text == f"You would use {rest} to eat cake."


def test_an_answer_that_is_a_letter_stays_one_without_choices() -> None:
    assert declare("What is the first letter of the word boat?", "b").text == "The first letter of the word boat is b."


def test_what_no_rule_fits_is_put_one_after_the_other_and_said_so() -> None:
    found = declare("Largest lake in Finland?", "Saimaa")

    assert (found.text, found.rule) == ("Largest lake in Finland? Saimaa.", JOINED)


@pytest.mark.parametrize(("question", "answer"), [("", "yes"), ("Is it so?", "  ")])
def test_a_blank_question_or_answer_is_refused(question: str, answer: str) -> None:
    with pytest.raises(ValueError, match="blank"):
        declare(question, answer)


SMALL_WORDS = """
what who where why how which is do does did can the a of in to dog dogs run runs old it or if when ___ ,
? not many"""
WORDS = st.sampled_from(SMALL_WORDS.split())


@given(st.lists(WORDS, min_size=1, max_size=12).map(" ".join), st.lists(WORDS, min_size=1, max_size=4).map(" ".join))
def test_whatever_is_asked_there_is_a_sentence(question: str, answer: str) -> None:
    found = declare(question, answer)

    assert found.text.endswith((".", "!"))
    assert not found.text[0].islower()


@given(st.text(min_size=1, max_size=40), st.text(min_size=1, max_size=20))
def test_any_text_is_either_rewritten_or_refused_as_blank(question: str, answer: str) -> None:
    if question.split() and answer.split():
        assert declare(question, answer).text.split()
