"""Names of people and places for the copy of the notes that has them.

The towns, streets and hospitals do not exist. Some surnames are also eponyms (Foley, Bell,
Parkinson) or plain words (Young, Rose, May): telling the two apart is what de-identification
has to do.
"""

from __future__ import annotations

WOMEN = (
    "Mary", "Patricia", "Linda", "Barbara", "Elizabeth", "Jennifer", "Maria", "Susan", "Margaret",
    "Dorothy", "Lisa", "Nancy", "Karen", "Betty", "Helen", "Sandra", "Donna", "Carol", "Ruth",
    "Sharon", "Michelle", "Laura", "Sarah", "Kimberly", "Deborah", "Jessica", "Shirley", "Cynthia",
    "Angela", "Melissa", "Brenda", "Amy", "Anna", "Rebecca", "Virginia", "Kathleen", "Pamela",
    "Martha", "Debra", "Amanda", "Stephanie", "Carolyn", "Christine", "Marie", "Janet",
    "Catherine", "Frances", "Ann", "Joyce", "Diane", "Alice", "Rose", "Renée", "Inés", "Grace",
    "Faith", "Hope", "Violet", "June", "Precious", "Yolanda", "Mei", "Aisha", "Olga", "Fatima",
)  # fmt: skip
MEN = (
    "James", "John", "Robert", "Michael", "William", "David", "Richard", "Charles", "Joseph",
    "Thomas", "Christopher", "Daniel", "Paul", "Mark", "Donald", "George", "Kenneth", "Steven",
    "Edward", "Brian", "Ronald", "Anthony", "Kevin", "Jason", "Matthew", "Gary", "Timothy", "José",
    "Larry", "Jeffrey", "Frank", "Scott", "Eric", "Stephen", "Andrew", "Raymond", "Gregory",
    "Joshua", "Jerry", "Dennis", "Walter", "Patrick", "Peter", "Harold", "Douglas", "Henry",
    "Carl", "Arthur", "Ryan", "Roger", "Joe", "Juan", "Jack", "Albert", "Jonathan", "Justin",
    "Terry", "Gerald", "Keith", "Samuel", "Willie", "Ralph", "Wei", "Omar", "Ivan", "Kwame",
)  # fmt: skip
SURNAMES = (
    "Smith", "Johnson", "Williams", "Jones", "Davis", "Miller", "Wilson", "Moore", "Taylor",
    "Anderson", "Jackson", "Harris", "Martin", "Thompson", "Garcia", "Martinez", "Robinson",
    "Clark", "Rodriguez", "Lewis", "Lee", "Walker", "Hall", "Allen", "Hernandez", "King", "Wright",
    "Lopez", "Hill", "Scott", "Green", "Adams", "Baker", "Gonzalez", "Nelson", "Carter",
    "Mitchell", "Perez", "Roberts", "Turner", "Phillips", "Campbell", "Evans", "Edwards",
    "Collins", "Stewart", "Sanchez", "Morris", "Rogers", "Reed", "Cook", "Morgan", "Murphy",
    "Bailey", "Rivera", "Cooper", "Richardson", "Cox", "Howard", "Ward", "Torres", "Peterson",
    "Gray", "Ramirez", "Watson", "Brooks", "Kelly", "Sanders", "Price", "Bennett", "Wood",
    "Barnes", "Ross", "Henderson", "Coleman", "Jenkins", "Perry", "Powell", "Patterson", "Hughes",
    "Flores", "Washington", "Butler", "Simmons", "Foster", "Bryant", "Alexander", "Russell",
    "Griffin", "Diaz", "Hayes", "Nguyen", "Patel", "Kim", "Chen", "O'Brien", "McCarthy",
    "D'Angelo", "Lefèvre", "Muñoz", "Van Dyke", "Oyelaran", "Kowalski",
    # eponyms of diseases, signs and devices
    "Foley", "Bell", "Parkinson", "Graves", "Hodgkin", "Crohn", "Hickman", "Swan", "Pratt",
    "Glasgow", "Apgar", "Mallory", "Barrett", "Cushing", "Addison", "Marshall",
    # plain words
    "Young", "White", "Brown", "Long", "Rose", "May", "Day", "Stone", "Burns", "Payne", "Fields",
    "Bright", "Rich", "Wise", "Sharp", "Grant", "Hale", "Boyle", "Frost", "Little",
)  # fmt: skip
TOWNS = (
    "Amberfield", "Brookhollow", "Cedar Falls Junction", "Dunmarrow", "Eastwick Harbor",
    "Fernley Mills", "Glen Corbin", "Harlow Point", "Ironbridge", "Juniper Creek", "Kestrel Bay",
    "Lindenmoor", "Marlow Heights", "Northam", "Oldcastle", "Pinevale", "Quarry Hill",
    "Rosemont Landing", "Saltmarsh", "Thornbury", "Upper Wexley", "Vinehurst", "Westerleigh",
    "Yarrow Bridge", "Fort Corbin", "Glasgow Corners", "St. Alban", "Bellport Mills",
)  # fmt: skip
STATES = ("Massachusetts", "New Hampshire", "Rhode Island", "Maine", "Vermont", "Connecticut")
STREETS = (
    "Maple Street", "Chestnut Avenue", "Harbor Road", "Linden Lane", "Old Mill Road",
    "Orchard Drive", "Quarry Street", "Station Road", "Summit Avenue", "Willow Court",
    "Court Street", "Parkinson Way", "Bay Street", "St. James Place",
)  # fmt: skip
HOSPITALS = (
    "Amberfield General Hospital", "St. Brendan Medical Center", "Northam Community Hospital",
    "Kestrel Bay Regional", "Lindenmoor Memorial Hospital", "Harlow Point Hospital",
    "Mercy of Thornbury", "Oldcastle Veterans Hospital", "Pinevale Clinic",
)  # fmt: skip
NURSING_HOMES = (
    "Cedar Glen Rehabilitation", "Harborview Manor", "Linden Court Nursing Center",
    "Rosewood Extended Care", "The Orchards at Northam", "Bellevue House",
)  # fmt: skip
COMPANIES = (
    "Yarrow Bridge Paper", "Marlow & Sons Roofing", "Ironbridge Transit", "Bay State Cannery",
    "Thornbury Public Schools", "Westerleigh Savings Bank",
)  # fmt: skip
OCCUPATIONS = (
    "retired teacher", "retired machinist", "former nurse", "electrician", "bus driver",
    "retired accountant", "carpenter", "restaurant owner", "postal worker", "homemaker",
    "retired engineer", "custodian", "librarian", "truck driver", "landscaper", "secretary",
    "works FT in retail", "on disability", "unemployed", "graduate student", "security guard",
)  # fmt: skip
HOME = "Commonwealth Deaconess Medical Center"
"""The hospital itself, as its own staff write it."""
