"""Write one UIMA CAS JSON for each of two annotators with the library of INCEpTION's makers (dkpro-cassis 0.12.0).

``pip install dkpro-cassis==0.12.0``, then ``python make.py``. The types are those of a project with a layer of its own
and named entities; the names are those that INCEpTION's export of annotated documents gives.
"""

from pathlib import Path

from cassis import Cas, TypeSystem

HERE = Path(__file__).parent
TEXT = "🌊 The moon pulls the sea. Ada said so."
METADATA = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"
TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"
ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"

types = TypeSystem()
for name, features in {METADATA: ("documentTitle", "documentId"), TOKEN: (), ENTITY: ("value",)}.items():
    made = types.create_type(name, supertypeName="uima.tcas.Annotation")
    for feature in features:
        types.create_feature(made, feature, "uima.cas.String")
claim = types.create_type("webanno.custom.Claim", supertypeName="uima.tcas.Annotation")
for feature in ("kind", "remark"):
    types.create_feature(claim, feature, "uima.cas.String")
relation = types.create_type("webanno.custom.Support", supertypeName="uima.tcas.Annotation")
for feature in ("Governor", "Dependent"):
    types.create_feature(relation, feature, "uima.tcas.Annotation")


def write(user: str, spans: list[tuple[str, dict[str, object]]], linked: bool) -> None:
    cas = Cas(types)
    cas.sofa_string = TEXT
    cas.sofa_mime = "text/plain"
    cas.add(types.get_type(METADATA)(begin=0, end=len(TEXT), documentTitle="sea.txt", documentId=user))
    cas.add(types.get_type(TOKEN)(begin=2, end=5))
    made = [types.get_type(name)(**said) for name, said in spans]
    cas.add_all(made)
    if linked:
        cas.add(relation(begin=2, end=25, Governor=made[0], Dependent=made[1]))
    cas.to_json(HERE / f"{user}.json")


moon = {"begin": 2, "end": 25, "kind": "fact", "remark": "Known long since."}
write("wren", [("webanno.custom.Claim", moon), (ENTITY, {"begin": 26, "end": 29, "value": "PER"})], linked=True)
write("lark", [("webanno.custom.Claim", {"begin": 2, "end": 10, "kind": "guess"})], linked=False)
