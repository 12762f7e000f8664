import jakarta.persistence.*;
import java.math.BigDecimal;
import java.time.*;
import java.util.*;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.hibernate.exception.ConstraintViolationException;

/** Entities of Hibernate, whose schema is made, updated and validated: URL and user are the arguments. */
public class Hibernate {
    @Entity(name = "Owner")
    @Table(name = "hibernate_owner")
    public static class OldOwner {
        @Id @GeneratedValue(strategy = GenerationType.IDENTITY) Long id;
        @Column(length = 40, nullable = false) String name;
    }

    @Entity(name = "Pet")
    @Table(name = "hibernate_pet")
    public static class OldPet {
        @Id @GeneratedValue(strategy = GenerationType.IDENTITY) Long id;
        String name;
        @ManyToOne OldOwner owner;
    }

    @Entity(name = "Owner")
    @Table(name = "hibernate_owner")
    public static class Owner {
        @Id @GeneratedValue(strategy = GenerationType.IDENTITY) Long id;
        @Column(length = 40, nullable = false) String name;
        @Column(unique = true) Integer number;
        Boolean known;
        LocalDate born;
        Instant seen;
        @OneToMany(mappedBy = "owner") @OrderBy("id") List<Pet> pets;
        @ElementCollection @CollectionTable(name = "hibernate_word") Set<String> words = new TreeSet<>();
    }

    enum Kind { DOG, CAT }

    @Entity(name = "Pet")
    @Table(name = "hibernate_pet", indexes = @Index(name = "hibernate_pet_name", columnList = "name, owner_id"))
    public static class Pet {
        @Id @GeneratedValue(strategy = GenerationType.IDENTITY) Long id;
        String name;
        @ManyToOne Owner owner;
        @Column(precision = 8, scale = 2) BigDecimal weight;
        @Enumerated(EnumType.STRING) Kind kind;
        UUID code;
        byte[] picture;
        @Version Integer version;
    }

    static void same(Object found, Object expected) {
        if (!String.valueOf(found).equals(String.valueOf(expected))) {
            throw new AssertionError("found " + found + ", expected " + expected);
        }
    }

    static SessionFactory open(String[] arguments, String action, Class<?>... entities) {
        Configuration configuration = new Configuration();
        for (Class<?> entity : entities) configuration.addAnnotatedClass(entity);
        configuration.setProperty("hibernate.connection.url", arguments[0]);
        configuration.setProperty("hibernate.connection.username", arguments[1]);
        configuration.setProperty("hibernate.hbm2ddl.auto", action);
        configuration.setProperty("hibernate.hbm2ddl.halt_on_error", "true");
        return configuration.buildSessionFactory();
    }

    public static void main(String[] arguments) {
        java.util.logging.LogManager.getLogManager().reset();
        try (SessionFactory sessions = open(arguments, "create", OldOwner.class, OldPet.class)) {
            sessions.inTransaction(session -> {
                for (String name : List.of("Ann", "Bob")) {
                    OldOwner owner = new OldOwner();
                    owner.name = name;
                    session.persist(owner);
                    OldPet pet = new OldPet();
                    pet.owner = owner;
                    pet.name = name + "'s";
                    session.persist(pet);
                    same(owner.id, pet.id);
                }
            });
        }
        // The rows stay.
        open(arguments, "update", Owner.class, Pet.class).close();
        try (SessionFactory sessions = open(arguments, "validate", Owner.class, Pet.class)) {
            sessions.inTransaction(Hibernate::write);
            sessions.inTransaction(Hibernate::read);
            for (String name : List.of("Cid", "Dan")) {
                try {
                    sessions.inTransaction(session -> {
                        Owner owner = new Owner();
                        owner.name = name;
                        owner.number = 7;
                        session.persist(owner);
                    });
                    same(name, "Cid");
                } catch (ConstraintViolationException error) {
                    same(name, "Dan");
                }
            }
        }
        open(arguments, "create-drop", Owner.class, Pet.class).close();
        System.out.println("Hibernate " + org.hibernate.Version.getVersionString() + ": entities change their tables");
    }

    static void write(Session session) {
        Owner owner = session.find(Owner.class, 1L);
        owner.known = true;
        owner.born = LocalDate.of(1970, 1, 2);
        owner.seen = Instant.parse("2026-01-31T08:00:00Z");
        owner.words.addAll(List.of("b", "a"));
        for (int number = 1; number <= 50; number++) {
            Pet pet = new Pet();
            pet.owner = owner;
            pet.name = "pet " + number;
            pet.weight = new BigDecimal("12.50");
            pet.kind = number % 2 == 0 ? Kind.DOG : Kind.CAT;
            pet.code = new UUID(1, number);
            pet.picture = new byte[] {0, (byte) number};
            session.persist(pet);
        }
    }

    static void read(Session session) {
        Owner owner = session.createQuery("from Owner o left join fetch o.pets where o.name = :name", Owner.class)
            .setParameter("name", "Ann").getSingleResult();
        same(owner.pets.size(), 51);
        same(owner.words, "[a, b]");
        same(owner.seen + " " + owner.born + " " + owner.known, "2026-01-31T08:00:00Z 1970-01-02 true");
        Pet last = owner.pets.get(50);
        same(last.weight + " " + last.kind + " " + last.code + " " + last.picture[1], "12.50 DOG " + new UUID(1, 50) + " 50");
        last.name = "other";
        session.flush();
        same(last.version, 1);
        List<Object[]> rows = session.createQuery(
            "select o.name, count(p), sum(p.weight) from Owner o left join o.pets p group by o.name order by o.name", Object[].class).list();
        same(Arrays.deepToString(rows.toArray()), "[[Ann, 51, 625.00], [Bob, 1, null]]");
        same(session.createQuery("select p.name from Pet p where p.kind = :kind order by p.id", String.class)
            .setParameter("kind", Kind.CAT).setFirstResult(2).setMaxResults(2).list(), "[pet 5, pet 7]");
        same(session.createMutationQuery("update Pet p set p.weight = p.weight * 2 where p.kind is not null").executeUpdate(), 50);
    }
}
