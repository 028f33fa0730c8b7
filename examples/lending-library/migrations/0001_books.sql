CREATE TABLE books (
  isbn TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  author TEXT NOT NULL,
  copies INTEGER NOT NULL
);
CREATE TABLE loans (
  reader TEXT NOT NULL,
  isbn TEXT NOT NULL REFERENCES books (isbn),
  until TEXT NOT NULL,
  PRIMARY KEY (reader, isbn)
);
INSERT INTO books (isbn, title, author, copies) VALUES
  ('9780000000011', 'A Field Guide to Tides', 'Ines Marlow', 1),
  ('9780000000028', 'The Clockmaker''s Garden', 'Otto Vance', 2),
  ('9780000000035', 'Tides and Timetables', 'Ines Marlow', 3);
